"""The ten programs of the README, each in an interpreter of its own, and the notebook."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT

PROGRAMS = sorted((ROOT / "python" / "examples").glob("run_*.py"))


def test_there_are_ten():
    assert len(PROGRAMS) == 10


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_runs(program):
    if "to_polars" in program.read_text():
        pytest.importorskip("polars")
    for line in program.read_text().splitlines():
        if line.startswith("import ") and "situ" not in line:
            pytest.importorskip(line.split()[1])
    done = subprocess.run([sys.executable, str(program)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_the_notebook_runs():
    notebook = json.loads((ROOT / "python" / "examples" / "tour.ipynb").read_text())
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["run"]["h"].size and "<svg" in names["run"]._repr_html_() and "<svg" in names["result"]._repr_html_()
