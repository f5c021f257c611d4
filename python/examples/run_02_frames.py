"""2 Into whatever frame one uses: Arrow, not copied, units in the metadata of the columns."""

import duckdb
import polars
import pyarrow
import situ

hoop = situ.load("scenarios/hoop/table.ron")
run = hoop.run(events=True, stop=8)

frame = polars.DataFrame(run)
pandas_frame = run.to_pandas()
table = pyarrow.table(run)
highest = duckdb.sql("select max(h) from run").fetchall()
dataset = run.to_xarray()  # coordinate time, attributes unit and about

assert frame["h"].to_numpy().tolist() == run["h"].tolist() == pandas_frame["h"].tolist()
assert table.schema.field("h").metadata[b"unit"] == b"cm"
assert highest == [(400.0,)]
assert dataset["h"].attrs["unit"] == "cm" and dataset["h"].attrs["about"].startswith("height")
