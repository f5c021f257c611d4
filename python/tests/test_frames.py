"""Ways into frames: nothing is copied that need not be."""

import ctypes

import numpy as np
import pytest

import situ


def test_pyarrow_sees_the_same_memory(hoop):
    pyarrow = pytest.importorskip("pyarrow")
    run = hoop.run(events=True, stop=2)
    table = pyarrow.table(run)
    assert table.num_rows == len(run) and table.column_names == run.names
    column = table["h"].chunk(0)
    assert column.buffers()[1].address == run["h"].__array_interface__["data"][0]
    assert table["contact"].to_pylist() == run["contact"].tolist()
    assert table.schema.field("h").metadata == {b"unit": b"cm", b"about": "height of the centre (h высота)".encode(), b"kind": b"real"}
    assert b'"table":"hoop"' in table.schema.metadata[b"situ"]
    del run
    assert table["h"][0].as_py() == 400
    events = pyarrow.table(hoop.run(events=True, stop=2).events)
    assert events["margin"].null_count > 0 and "reached" in events["what"].to_pylist()


def test_empty_frames_go_through(hoop):
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(hoop.run(stop=1).events).num_rows == 0
    assert hoop.run(stop=1).events["time"].shape == (0,)


def test_polars_pandas_xarray(hoop):
    run = hoop.run(events=True, stop=2)
    for name in ("polars", "pandas", "xarray"):
        pytest.importorskip(name)
    assert run.to_polars()["Vy"].to_list() == run["Vy"].tolist()
    assert run.to_pandas().attrs["units"]["Vy"] == "cm/s"
    dataset = run.to_xarray()
    assert dataset["time"].size == len(run) and dataset["Vy"].attrs["unit"] == "cm/s"


def test_memory_is_not_copied():
    pyarrow = pytest.importorskip("pyarrow")
    table = situ.loads('(format: 1, clock: (step: 0.000001, stop: 2), reals: {"x": 1}, relations: ["x = integral(-x)"])')
    run = table.run()
    before = pyarrow.total_allocated_bytes()
    arrow = pyarrow.table(run)
    assert len(run) == 2_000_001 and pyarrow.total_allocated_bytes() - before < 1 << 16
    assert np.shares_memory(arrow["x"].chunk(0).to_numpy(), run["x"])
    address = run["x"].ctypes.data
    assert ctypes.c_double.from_address(address).value == 1.0
