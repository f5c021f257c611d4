"""Sessions: the prompt's commands from a program."""

import threading

import numpy as np
import pytest

import situ


def test_a_session_stepped_has_the_bits_of_the_run(hoop):
    run = hoop.run(events=True, stop=2, set={"m": 2})
    with hoop.start(events=True, stop=2, set={"m": 2}) as live:
        seen = []
        while live.next_event():
            seen.append((live.time, live["h"], live["Vy"]))
        live.run()
        assert live["h"] == run["h"][-1] and live["Vy"] == run["Vy"][-1] and live.time == 2
    times = run.events["time"]
    assert len(seen) > 3 and all(np.isclose(times, time, rtol=1e-12).any() for time, *_ in seen)
    with hoop.start(stop=1) as live:
        live.step(1000)
        assert live["h"] == hoop.run(stop=1, every=0.1)["h"][1]


def test_values_are_looked_at_and_set(hoop):
    with hoop.start() as live:
        assert live["R"] == 30 and live["contact"] is False and live["h - R"] == 370
        live["h"] = 20
        assert live["contact"] in (True, False)
        live["m"] = np.float64(2)
        assert live["m"] == 2
        with pytest.raises(KeyError, match="did you mean `Vy`"):
            live["vy"]
        with pytest.raises((situ.CommandError, situ.TableError)):
            live["vy"] = 3


def test_a_line_is_left_and_entered_again(hoop):
    with hoop.start(events=True) as live:
        live.run("to 1")
        there = live["h"]
        live.goto(0.5)
        assert live.time == 0.5
        live.branch("slow")
        live["Vy"] = 0
        live.run("to 1")
        assert live["h"] != there
        live.checkout("main")
        live.goto(1)
        assert live["h"] == there
        live.undo()
        assert "contact" in str(live.why("contact"))


def test_rules_change_in_mid_run(hoop):
    with hoop.start(events=True) as live:
        live.run("to 0.1")
        live.add("extra = 2 * h") if False else live.constant("c = 3")
        assert live["c"] == 3
        with pytest.raises(situ.TableError) as raised:
            live.add("h = integral(hh)")
        assert raised.value.diagnostics[0].help or raised.value.diagnostics


def test_a_session_belongs_to_its_thread(hoop):
    live = hoop.start()
    raised = []

    def use():
        try:
            live.step()
        except RuntimeError as error:
            raised.append(str(error))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert raised and "thread" in raised[0]
    live.quit()
    with pytest.raises(ValueError, match="over"):
        live.step()


def test_settings_that_are_wrong_are_refused(hoop):
    with pytest.raises(TypeError, match="did you mean `events`"):
        hoop.start(evnts=True)
    with pytest.raises((situ.CommandError, KeyError)):
        hoop.start(case="mane")


def test_a_session_is_what_a_screen_needs(hoop):
    with hoop.start() as live:
        live.run("to 1")
        assert 'name: "hoop"' in live.table()["text"]
        assert "K_braking" in str(live.knobs())
        assert live.curves("h into 10").data
        assert live.frames(3).data
        before = live["h"]
        live.rerun("m = 2")
        assert live.time == 1 and live["h"] != before
        live.undo()
        assert live["h"] == before
        live.rewrite(live.table()["text"].replace("An elastic hoop", "A hoop"))
        live.finish()
        assert live.time == 8
