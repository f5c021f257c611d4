"""Types and documentation: the stub is that of the module, examples do what they show."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest
from conftest import ROOT

import situ
from situ import _situ


def modules():
    return [f"situ.{one.name}" for one in pkgutil.iter_modules(situ.__path__) if one.name not in ("__main__", "_situ")]


@pytest.mark.parametrize("name", ["situ", *modules()])
def test_examples_do_what_they_show(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_the_stub_is_that_of_the_module():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "situ._situ", "--mypy-config-file", "pyproject.toml"]
    done = subprocess.run(command, cwd=ROOT / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_methods_of_a_session_are_the_commands_of_the_prompt():
    commands = {name for name, *_ in _situ.commands()}
    methods = {name.rstrip("_") for name in vars(situ.Live) if not name.startswith("_")}
    assert commands - methods == set()
    assert methods - commands == {"execute", "time", "next_event"}
    assert all(getattr(situ.Live, name, getattr(situ.Live, f"{name}_", None)).__doc__ for name in commands)


def test_help_has_every_setting():
    for name in situ.Clock.__annotations__:
        assert f"{name}: " in situ.Table.run.__doc__
