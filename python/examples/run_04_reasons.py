"""4 Events and reasons."""

import situ

hoop = situ.load("scenarios/hoop/table.ron")
run = hoop.run(events=True, stop=8)

run.events  # columns: time, instant, what, direction, rule, margin
print(run.why("braking", at=0.9))
tree = run.why("braking", at=0.9).tree

assert {"time", "instant", "what", "direction", "rule", "margin"} <= set(run.events.names)
assert tree.holds is not None and tree.under
