"""Measured points from Python: arrays become the lookups of a table."""

import pickle

import numpy as np
import pytest

import situ

MOTOR = """(format: 1, clock: (step: 0.001, stop: 2), constants: {"J": 0.02}, reals: {"M": 0, "w": 0},
    relations: ["M = torque(w)", "w = integral((M - 1.5) / J)"])"""
RPM, NM = np.array([0.0, 50, 100, 150, 200]), [5.0, 4.6, 4.0, 2.6, 0.0]


def test_points_are_a_procedure_and_travel(tmp_path):
    in_place = MOTOR.replace("relations:", 'lookups: {"torque": (x: [0, 50, 100, 150, 200], y: [5, 4.6, 4, 2.6, 0])}, relations:')
    expected = situ.loads(in_place).run(events=True)["w"]
    table = situ.loads(MOTOR, lookups={"torque": (RPM, NM)})
    assert table.run(events=True)["w"].tolist() == expected.tolist()
    (tmp_path / "motor.ron").write_text(MOTOR)
    table = situ.load(tmp_path / "motor.ron", lookups={"torque": {"x": RPM, "y": NM, "kind": "linear"}})
    again = pickle.loads(pickle.dumps(table))
    assert again.run(events=True)["w"].tolist() == expected.tolist()
    pieces = again.slices({"J": [0.02, 0.03]}, size=1, measure="final(w)", events=True)
    assert situ.join(map(situ.run_slice, pieces))["final(w)"][0] == expected[-1]


def test_files_bases_and_parts_travel(tmp_path):
    """A table with all that it extends, has as parts and reads points from, runs where none of these files is."""
    (tmp_path / "torque.csv").write_text("w,M\n" + "".join(f"{w},{m}\n" for w, m in zip(RPM, NM, strict=True)))
    file = 'lookups: {"torque": (file: "torque.csv", x: "w", y: "M")}, relations:'
    (tmp_path / "base.ron").write_text(MOTOR.replace("relations:", file))
    (tmp_path / "brake.ron").write_text(
        '(format: 1, clock: (step: 0.001, stop: 2), constants: {"k": 0.1}, reals: {"heat": 0}, relations: ["heat = integral(k)"])'
    )
    (tmp_path / "motor.ron").write_text(
        '(format: 1, extends: "base.ron", parts: {"brake": (file: "brake.ron")})'
    )
    table = situ.load(tmp_path / "motor.ron")
    over, how = {"J": [0.02, 0.03]}, {"measure": ["final(w)", "final(brake.heat)"], "events": True}
    expected = table.sweep(over, **how)
    assert expected.failed == 0 and expected["final(brake.heat)"][0] > 0.1
    pieces, again = list(table.slices(over, size=1, **how)), pickle.dumps(table)
    for path in tmp_path.iterdir():
        path.unlink()
    assert situ.join(map(situ.run_slice, pieces)) == expected
    again = pickle.loads(again)
    assert again == table and hash(again) == hash(table)
    assert again.sweep(over, **how) == expected
    with again.start(events=True) as live:
        live.execute("run")
        assert live["w"] == expected["final(w)"][0]


@pytest.mark.parametrize(
    ("lookups", "error", "said"),
    [
        ({"torque": RPM}, TypeError, r"\(x, y\)"),
        ({"torque": (RPM, "abc")}, TypeError, "`y` has numbers"),
        ({"torque": (RPM, [1, 2, np.nan, 4, 5])}, ValueError, "not finite"),
        ({"torque": {"x": RPM, "y": NM, "kid": "linear"}}, TypeError, "did you mean `kind`"),
        ({"torque": (RPM, NM[:-1])}, situ.TableError, "torque"),
        ({"torque": (RPM[::-1], NM)}, situ.TableError, "torque"),
        (3, TypeError, "names with points"),
    ],
)
def test_what_is_wrong_is_said(lookups, error, said):
    with pytest.raises(error, match=said):
        situ.loads(MOTOR, lookups=lookups)
