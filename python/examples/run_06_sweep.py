"""6 A sweep on all cores, with progress, stopped by Ctrl-C with what is finished kept."""

import situ

hoop = situ.load("scenarios/hoop/table.ron")
result = hoop.sweep(
    {"m": situ.uniform(1, 5), "h": situ.normal(400, 10)}, measure=["max(h)"], runs=1000, events=True
)
frame = result.to_polars()
result.plot()

assert frame.height == 1000 and (frame["max(h)"] >= frame["h"]).all()
