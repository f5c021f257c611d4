"""The ten programs of the README, each in an interpreter of its own."""

import subprocess
import sys

import pytest
from conftest import ROOT

PROGRAMS = sorted((ROOT / "python" / "examples").glob("run_*.py"))


def test_there_are_ten():
    assert len(PROGRAMS) == 10


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_runs(program):
    for line in program.read_text().splitlines():
        if line.startswith("import ") and "situ" not in line:
            pytest.importorskip(line.split()[1])
    done = subprocess.run([sys.executable, str(program)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
