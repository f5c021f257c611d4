"""Tables and runs: columns, options, mistakes, values."""

import copy
import pickle
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import ROOT

import situ


def test_columns_are_the_memory_of_the_engine(hoop):
    run = hoop.run(events=True, stop=2)
    assert run.names[0] == "time" and run.units["h"] == "cm" and run.kinds["contact"] == "range"
    h = run["h"]
    assert h is run["h"] and not h.flags.owndata and not h.flags.writeable
    with pytest.raises(ValueError):
        h.setflags(write=True)
    assert run["contact"].dtype == bool and run["contact"].any() and not run["contact"].all()
    # The run may go, its memory stays.
    del run
    assert h[0] == 400


def test_rows_are_those_of_the_program(hoop, tmp_path):
    for options in ([], ["--events"], ["--events", "--grid"], ["--set", "m=2", "--stop", "1"], ["--case", "mass_2"]):
        out = tmp_path / "rows.csv"
        command = ["run", "scenarios/hoop/table.ron", "--out", str(out), "--no-plot", "--quiet", *options]
        done = subprocess.run([sys.executable, "-m", "situ", *command], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        header, *rows = out.read_text().splitlines()
        keywords = {
            "events": "--events" in options,
            "grid": "--grid" in options,
            "set": {"m": 2} if "--set" in options else None,
            "stop": 1 if "--stop" in options else None,
            "case": "mass_2" if "--case" in options else None,
        }
        run = hoop.run(**keywords)
        assert header.split(",") == run.names
        read = np.array([[float(cell) for cell in row.split(",")] for row in rows])
        ours = np.column_stack([run[name].astype(float) for name in run.names])
        assert np.array_equal(read, ours)


def test_settings_are_those_of_the_program():
    shown = subprocess.run([sys.executable, "-m", "situ", "run", "--help"], cwd=ROOT, capture_output=True, text=True)
    options = set(re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)", shown.stdout, re.MULTILINE))
    options = {option.replace("-", "_") for option in options}
    # What a run is written into, or begins from: here it is a value.
    files = {"out", "curves", "plot", "no_plot", "record", "event_log", "save_state", "save_every", "from", "quiet", "json", "deny", "log", "max_table", "help", "width", "height", "map", "profile", "at"}
    # What is drawn or shown while it goes on.
    files |= {"animate", "color", "fps", "frame", "lang", "live", "log_axis", "report", "speed"}
    ours = set(situ.Clock.__annotations__) | {"case", "set", "vars", "measure", "grid", "engine", "fast_math"}
    assert ours <= options, ours - options
    assert options - files <= ours, options - files - ours


def test_values_that_are_set(hoop):
    run = hoop.run(set={"m": np.int64(2), "h": "2 * R"}, stop=1)
    assert run["h"][0] == 60 and run["def"][0] == -30
    assert hoop.run(set={"h": 300}, stop=1) == hoop.run(set={"h": "300"}, stop=1)


@pytest.mark.parametrize(
    ("keywords", "error", "said"),
    [
        ({"set": {"mm": 2}}, KeyError, "did you mean `m`"),
        ({"set": {"contact": True}}, ValueError, "`contact` follows from other values"),
        ({"set": {"m": None}}, TypeError, "`m`"),
        ({"set": {"m": True}}, TypeError, "`m` is a number"),
        ({"set": {"m": float("nan")}}, ValueError, "`m` cannot be NaN"),
        ({"set": {"m": "1 +"}}, situ.TableError, "<set>"),
        ({"set": 3}, TypeError, "`set` has names with values"),
        ({"evnts": True}, TypeError, "did you mean `events`"),
        ({"events": 1}, TypeError, "True or False"),
        ({"events": True, "ticks": True}, ValueError, "not both"),
        ({"stop": -1}, ValueError, "`stop` is a number above zero"),
        ({"stop": float("inf")}, ValueError, "`stop` cannot be inf"),
        ({"stop": [1, 2]}, TypeError, "`stop`"),
        ({"method": "rk4x"}, ValueError, "`rk4`"),
        ({"case": "mane"}, KeyError, "`main`"),
        ({"vars": ["hh"]}, KeyError, "did you mean"),
        ({"measure": "mox(h)"}, ValueError, "mox"),
        ({"measure": "max(hh)"}, situ.TableError, "hh"),
        ({"measure": [3]}, TypeError, "texts"),
        ({"grid": True}, ValueError, "event stepping"),
        ({"engine": "nativ"}, ValueError, "did you mean `native`"),
        ({"until": "h <"}, situ.TableError, "<until>"),
        ({"engine": "interpreter", "fast_math": True}, ValueError, "fast-math"),
    ],
)
def test_what_is_wrong_is_said(hoop, keywords, error, said):
    with pytest.raises(error) as raised:
        hoop.run(**keywords)
    assert said in str(raised.value)


def test_unknown_columns_are_refused(hoop):
    run = hoop.run(stop=1)
    with pytest.raises(KeyError, match="did you mean `Vy`"):
        run["vy"]
    with pytest.raises(TypeError):
        run[0]


def test_mistakes_of_a_table():
    with pytest.raises(situ.TableError) as raised:
        situ.loads('(format: 1,\n reals: {"x": 1},\n relations: ["x = integral(-y)", "z = 1"])', name="my.ron")
    found = raised.value.diagnostics
    assert [one.line for one in found] == [3, 3] and found[0].file == "my.ron"
    assert "my.ron:3" in str(raised.value)
    assert pickle.loads(pickle.dumps(raised.value)).diagnostics == found
    with pytest.raises(FileNotFoundError):
        situ.load("there/is/none.ron")


def test_a_run_that_fails_keeps_its_rows():
    table = situ.loads(
        '(format: 1, clock: (step: 0.1, stop: 9), reals: {"x": 1, "y": 0}, relations: ["x = integral(-1)", "[div] y = 1 / max(x, 0)"])'
    )
    with pytest.raises(situ.RunError) as raised:
        table.run()
    error = raised.value
    assert error.rule == "div" and 0.5 < error.time < 1.5 and error.values["x"] > 0
    assert len(error.run) > 5 and error.run.ended == "fault"
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.diagnostics == error.diagnostics
    assert again.rule == error.rule and again.time == error.time and again.run == error.run


def test_a_run_that_fails_between_its_rows_knows_where():
    text = """(format: 1, clock: (stop: 9, every: 5, stepping: events), reals: {"x": 1, "y": 1},
        relations: ["x = integral(-1)", "y = integral(ROW)"])"""
    for row, rows in (("y * y", [0]), ("1 / x", [0]), ("sqrt(x)", [0, 1, 1])):
        with pytest.raises(situ.RunError) as raised:
            situ.loads(text.replace("ROW", row)).run()
        error = raised.value
        assert np.allclose(error.run["time"], rows) and abs(error.time - 1) < 1e-5
        assert abs(error.values["x"]) < 1e-5 and error.values["time"] == error.time
        assert np.allclose(error.run.at([0.5, 0.75], "x"), [0.5, 0.25]) and "x = 0.5" in str(error.run.why("x", at=0.5))
        again = pickle.loads(pickle.dumps(error))
        assert again.time == error.time and again.values == error.values
        assert again.run.at([0.75], "x") == error.run.at([0.75], "x")


def test_what_is_wrong_with_a_keyword_is_said(hoop):
    for keywords, error, said in (
        ({"stop": 10**400}, ValueError, "`stop` is beyond the largest number"),
        ({"grid": "no"}, TypeError, "`grid` is True or False, not 'no'"),
        ({"grid": 1}, TypeError, "`grid` is True or False, not 1"),
        ({"fast_math": 1}, TypeError, "`fast_math` is True or False, not 1"),
        ({"engine": 1}, TypeError, "`engine` is auto, interpreter or native, not 1"),
        ({"case": 1}, TypeError, "`case` is the name of a case, not 1"),
        ({"stop": np.array([1.0, 2.0])}, TypeError, "`stop` is a number or a text"),
    ):
        with pytest.raises(error) as raised:
            hoop.run(**keywords)
        assert said in str(raised.value)
    with pytest.raises(TypeError, match="`engine` is auto"):
        hoop.start(engine=1)


def test_keywords_are_told_apart_by_their_types(hoop):
    for one in (1, 1.0, np.array(1.0), np.int64(1), np.float32(1)):
        assert hoop.run(stop=one)["time"][-1] == 1
        with pytest.raises(TypeError, match="`stop` is a number or a text, not True"):
            hoop.run(stop=True)
    assert hoop.run(events=np.True_, stop=1) == hoop.run(events=True, stop=1)
    with pytest.raises(TypeError, match="`events` is True or False, not 1"):
        hoop.run(events=1, stop=1)


def test_tables_extend_each_other_and_travel(tmp_path):
    (tmp_path / "base.ron").write_text('(format: 1, clock: (step: 0.1, stop: 1), reals: {"x": 1}, relations: ["x = integral(-x)"])')
    (tmp_path / "more.ron").write_text('(format: 1, extends: "base.ron", constants: {"k": 2})')
    table = situ.load(tmp_path / "more.ron")
    again = pickle.loads(pickle.dumps(table))
    assert [name.rsplit("/")[-1] for name, _ in again.texts] == ["more.ron", "base.ron"]
    assert again == table and hash(again) == hash(table) and copy.copy(table) == table
    assert again.run() == table.run() and table.run(set={"k": 3}) is not None


def test_runs_travel(hoop):
    run = hoop.run(events=True, stop=2, set={"m": 2}, measure="max(h)")
    again = pickle.loads(pickle.dumps(run))
    assert again == run and hash(again) == hash(run) and again.events == run.events
    assert str(again.summary) == str(run.summary) and str(again.why("h")) == str(run.why("h"))
    assert copy.deepcopy(run) == run
    assert run != hoop.run(events=True, stop=2, set={"m": 3}, measure="max(h)")


def test_other_threads_go_on(hoop):
    turns = []
    ended = threading.Event()

    def count():
        while not ended.is_set():
            turns.append(1)
            ended.wait(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = len(turns)
    hoop.run(step=0.0001, stop=1000, engine="interpreter", every=100)
    during = len(turns) - before
    ended.set()
    thread.join()
    # A run of ten million ticks that kept the interpreter lock would leave one turn at most.
    assert during > 3


def test_threads_share_a_table(hoop):
    found = {}

    def run(m):
        found[m] = hoop.run(set={"m": m}, events=True)["h"].tobytes()

    threads = [threading.Thread(target=run, args=(m,)) for m in (1, 2, 3, 4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == {m: hoop.run(set={"m": m}, events=True)["h"].tobytes() for m in found}


def test_ctrl_c_stops_a_run(hoop):
    code = (
        "import situ, threading, _thread\n"
        "hoop = situ.load('scenarios/hoop/table.ron')\n"
        "threading.Timer(0.5, _thread.interrupt_main).start()\n"
        "try:\n"
        "    hoop.run(step=1e-7, stop=100, every=1e-3, engine='interpreter')\n"
        "except KeyboardInterrupt as stopped:\n"
        "    print(stopped.run.ended, 0 < stopped.run['time'][-1] < 100)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["interrupted", "True"], done.stderr


def test_values_at_times_are_those_of_the_measure(hoop):
    times = [1.3, 0.2, 0.86, 0.0, 2.0]
    for events in (False, True):
        run = hoop.run(events=events, stop=2, measure=[f"at(h, {time})" for time in times])
        ours = run.at(times, "h")
        assert ours.tolist() == pytest.approx(list(run.measures.values()), rel=1e-12)
    with pytest.raises(ValueError, match="goes from"):
        run.at([3], "h")
    assert run.at([], "h").shape == (0,)
    assert run.at(np.zeros((2, 2)), "h").shape == (2, 2)


def test_why_is_the_answer_of_the_prompt(hoop):
    run = hoop.run(events=True, stop=2)
    for question in ("braking", "not braking", "Fel"):
        command = ["repl", "scenarios/hoop/table.ron", "-e", "set stepping = events", "-e", "run to 0.9", "-e", f"why {question}"]
        shown = subprocess.run([sys.executable, "-m", "situ", *command], cwd=ROOT, capture_output=True, text=True)
        if "not" not in question:
            assert str(run.why(question, at=0.9)).replace(" ", "") in shown.stdout.replace(" ", "")
    with pytest.raises(KeyError, match="did you mean `braking`"):
        run.why("brakng")
    with pytest.raises(ValueError):
        run.why("braking", at=99)


def test_events_tell_what_happened(hoop):
    events = hoop.run(events=True, stop=2).events
    reached = events["what"] == "reached"
    assert reached.any() and set(events["direction"][reached]) <= {"up", "down"}
    assert len(hoop.run(stop=1).events) == 0


def test_a_built_table_is_one_that_was_read():
    t = situ.Table("pump", about='a "pump"')
    t.constant("rate", 0.5, unit="m/s", about="how fast")
    t.real("my level", 1.0, unit="m")
    t.switch("on", True)
    t.range("low", "`my level` < 2")
    t.situation("filling", "low & on")
    t.event("full", "`my level` > 1.5")
    t.assignment("when full: !on")
    t.relation("`my level` = integral(rate) when filling")
    t.clock(step=0.01, stop=3, stepping="events")
    run = t.run()
    assert run["my level"][-1] == pytest.approx(1.5) and not run["on"][-1]
    assert situ.loads(t.to_ron()).run() == run
    assert t.constants["rate"] == {"start": "0.5", "unit": "m/s", "about": "how fast"}
    hash(t)
    with pytest.raises(TypeError, match="hashed"):
        t.constant("more", 1)
    with pytest.raises(TypeError, match="was read"):
        situ.loads(t.to_ron()).constant("more", 1)


def test_wrong_rows_of_a_built_table_are_reported():
    t = situ.Table("wrong")
    t.relation("x = integral(y)")
    with pytest.raises(situ.TableError):
        t.run(stop=1, step=0.1)


def test_columns_may_be_expressions():
    text = """(format: 1, clock: (stepping: events, stop: 2), constants: {"N": 3},
        counters: {"i": "1 .. 2", "j": "1 .. N"}, reals: {"c[i, j]": "j"},
        ranges: ["high[j]: c[2, j] > 3.5"], relations: ["c[i, j] = integral(1)"])"""
    table = situ.loads(text)
    asked = "c[2,1],mean(c[2, j] for j), number(high[j] for j)"
    run = table.run(vars=asked, measure="max(mean(c[2, j] for j))", until="any(c[1, j] > 4 for j)")
    assert list(run.names) == ["time", "c[2,1]", "mean(c[2, j] for j)", "number(high[j] for j)"]
    assert run["mean(c[2, j] for j)"][-1] == pytest.approx(3)
    assert run["number(high[j] for j)"][-1] == 1
    assert run["time"][-1] == pytest.approx(1) and run.measures["max(mean(c[2, j] for j))"] == pytest.approx(3)
    with pytest.raises(situ.TableError, match="there is no family `d`"):
        table.run(vars=["mean(d[j] for j)"])


def test_columns_are_named_as_on_the_command_line():
    table = situ.loads(
        '(format: 1, clock: (stepping: events, stop: 2, every: 0.5), reals: {"x": 1, "`y y`": 0}, '
        'relations: ["x = integral(-x)", "`y y` = integral(1)"])'
    )
    plain = table.run(vars=["x", "y y"])
    for vars in ("time,x,`y y`", ["time", "x", "`y y`"], "x, `y y`"):
        assert table.run(vars=vars).names == plain.names
        assert table.run(vars=vars)["y y"].tolist() == plain["y y"].tolist()
