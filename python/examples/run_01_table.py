"""1 A table, a run, a picture."""

import situ

hoop = situ.load("scenarios/hoop/table.ron")
run = hoop.run(events=True, stop=8)  # other threads go on meanwhile
h = run["h"]  # numpy array, not copied
run  # in a notebook: curves, situations, summary

assert h.base is not None and not h.flags.writeable and len(h) == len(run)
assert "<svg" in run._repr_html_() and "free_fall" in repr(run)
