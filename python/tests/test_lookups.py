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
