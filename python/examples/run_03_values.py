"""3 Other values, and what came of them."""

import situ

hoop = situ.load("scenarios/hoop/table.ron")
run = hoop.run(set={"m": 2, "h": 300}, measure=["period(contact)", "max(h)"])
highest = run.measures["max(h)"]

assert highest == 300.0 and run.measures["period(contact)"] > 0
