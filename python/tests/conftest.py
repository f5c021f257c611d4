"""Tests run from the root of the repository, where the scenarios are."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("RUST_BACKTRACE", os.environ.get("RUST_BACKTRACE", "0"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def hoop():
    import situ

    return situ.load("scenarios/hoop/table.ron")
