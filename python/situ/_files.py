"""Files: what was read is not written over."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any


def found(names: Iterable[str]) -> tuple[str, ...]:
    """The paths of those names that are files here."""
    return tuple(os.path.abspath(name) for name in names if os.path.isfile(name))


def check(what: str, path: Any, read: Iterable[str]) -> None:
    """Refuses to write a file that was read, under whatever name."""
    for one in read:
        try:
            same = os.path.samefile(path, one)
        except OSError:
            continue
        if same:
            raise ValueError(f"{what} would write over {os.fspath(path)!r}, which the table was read from")
