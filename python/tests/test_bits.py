"""One run, many ways: called, stepped in a session, swept on threads, in slices; all have the same bits."""

import multiprocessing

import numpy as np
import pytest
from conftest import ROOT

import situ

# A slice carries texts only: the file of the loader's points stays behind.
TABLES = sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "scenarios").glob("*/table.ron") if path.parent.name != "loader"
)


def bits(values):
    return [np.float64(value).tobytes() for value in values]


@pytest.mark.parametrize("events", [False, True], ids=["ticks", "events"])
@pytest.mark.parametrize("path", TABLES)
def test_a_scenario_has_the_same_bits_every_way(path, events):
    table = situ.load(path)
    how = {"events": True} if events else {"ticks": True}
    try:
        whole = table.run(**how)
    except (situ.RunError, ValueError):
        pytest.skip("it is not meant to be run so")
    stop = float(whole["time"][-1]) / 8
    if not events:
        # A whole number of ticks.
        stop = float(whole["time"][max(1, len(whole) // 8)])
    how["stop"] = stop
    reals = list(whole.table.reals)
    measures = [f"final({situ._situ.name(name)})" for name in reals]
    run = table.run(measure=measures, vars=reals, **how)
    last = bits(run[name][-1] for name in reals)
    measured = bits(run.measures[text] for text in measures)
    assert measured == last
    assert table.run(vars=reals, engine="interpreter", measure=measures, **how) == run
    constant = next(iter(table.constants), None)
    if constant is not None:
        values = whole.table.run(vars=[constant], **how)[constant][:1].tolist() * 3
        one = table.sweep({constant: values}, measure=measures, threads=1, **how)
        assert one.failed == 0 and bits(one[text][0] for text in measures) == measured
        assert table.sweep({constant: values}, measure=measures, threads=2, **how) == one
        pieces = table.slices({constant: values}, size=1, measure=measures, **how)
        assert situ.join(situ.run_slice(piece) for piece in pieces) == one
    with table.start(**how) as live:
        while live.next_event() and live.time < stop / 2:
            pass
        live.run()
        assert live.time == run["time"][-1]
        assert bits(live[name] for name in reals) == last


def child(path, queue):
    queue.put(situ.load(path).run(events=True, stop=1)["h"].tobytes())


@pytest.mark.parametrize("way", ["spawn", "fork"])
def test_another_process_has_the_same_bits(way):
    if way not in multiprocessing.get_all_start_methods():
        pytest.skip("there is no such way here")
    context = multiprocessing.get_context(way)
    queue = context.Queue()
    process = context.Process(target=child, args=("scenarios/hoop/table.ron", queue))
    process.start()
    there = queue.get(timeout=60)
    process.join()
    assert there == situ.load("scenarios/hoop/table.ron").run(events=True, stop=1)["h"].tobytes()
