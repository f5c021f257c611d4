"""Options of runs: the names and meanings are those of the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

import numpy as np

from . import _situ


class Clock(TypedDict, total=False):
    """Settings of the clock, as `situ run --help` lists them; what is left out is what the table says."""

    events: bool
    """Locate every event instead of ticking."""
    ticks: bool
    """Tick, also if the table asks for events."""
    step: float
    stop: float
    every: float
    unit: str
    scan: str
    integral: str
    method: str
    rtol: float
    atol: float
    h0: float
    hmin: float
    hmax: float
    max_events: float
    max_steps: float
    max_rows: float
    locate: str
    step_formula: str
    until: str
    """Condition at which the run stops."""


_NAMED = {"stop_when": "until"}
"""Settings that have another name here, as at the command line; `stepping` is `events` and `ticks`."""

_SETTINGS = {_NAMED.get(row[0], row[0]): row[0] for row in _situ.settings() if row[0] != "stepping"}


def keywords() -> dict[str, str]:
    """Each keyword of the clock with a line of help, from the engine's own table."""
    about = {
        "events": "Locate every event instead of ticking: exact in time",
        "ticks": "Tick, also if the table asks for events",
    }
    for name, placeholder, text, default, words in _situ.settings():
        if name != "stepping":
            known = f" ({', '.join(words)})" if words else ""
            about[_NAMED.get(name, name)] = f"{text}{known} [{placeholder}; default: {default}]"
    return about


def clock(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the engine for keywords of the clock."""
    stated: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name in ("events", "ticks"):
            if not isinstance(value, bool):
                raise TypeError(f"`{name}` is True or False, not {value!r}")
            if value:
                word = "events" if name == "events" else "tick"
                if stated.setdefault("stepping", word) != word:
                    raise ValueError("a run has `events` or `ticks`, not both")
            continue
        if name not in _SETTINGS:
            near = _situ.nearest(name, ["set", "case", "measure", "vars", "events", "ticks", *_SETTINGS])
            hint = f"; did you mean `{near}`?" if near else ""
            raise TypeError(f"there is no keyword `{name}`{hint}")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            try:
                value = float(value) if not isinstance(value, bool) else None
            except (TypeError, ValueError):
                value = None
            if value is None:
                raise TypeError(f"`{name}` is a number or a text, not {given[name]!r}")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise ValueError(f"`{name}` is beyond the largest number, {sys.float_info.max}")
        if isinstance(value, float) and not -1e400 < value < 1e400:
            raise ValueError(f"`{name}` cannot be {value}")
        stated[_SETTINGS[name]] = value
    return stated


def stated(given: Mapping[str, Any]) -> tuple[tuple[str, type, Any], ...]:
    """Keywords of the clock as a part of a key, in which 1 and True are two; scalars of numpy are those of Python."""
    return tuple((name, type(value), value) for name, value in ((name, scalar(value)) for name, value in given.items()))


def scalar(value: Any) -> Any:
    """A scalar of numpy as one of Python."""
    return value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value


def text(name: str, expected: str, given: Any) -> None:
    """Checks that a keyword is a text, if it is given."""
    if given is not None and not isinstance(given, str):
        raise TypeError(f"`{name}` is {expected}, not {given!r}")


def choices(case: Any, engine: Any) -> None:
    """Checks the keywords that choose one of several."""
    text("case", "the name of a case", case)
    text("engine", "auto, interpreter or native", engine)


def truth(name: str, given: Any) -> bool:
    """A keyword that is true or false."""
    if not isinstance(given, bool | np.bool_):
        raise TypeError(f"`{name}` is True or False, not {given!r}")
    return bool(given)


def texts(name: str, given: str | Iterable[str] | None) -> tuple[str, ...]:
    """One text or several."""
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    given = tuple(given)
    for one in given:
        if not isinstance(one, str):
            raise TypeError(f"`{name}` has texts, not {one!r}")
    return given


def values(given: Mapping[str, Any] | None) -> tuple[dict[str, Any] | None, tuple[tuple[str, str], ...]]:
    """Numbers that are set, and expressions."""
    if not given:
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"`set` has names with values, {{'m': 2}}, not {given!r}")
        return None, ()
    if not isinstance(given, Mapping):
        raise TypeError(f"`set` has names with values, {{'m': 2}}, not {given!r}")
    for value in given.values():
        if isinstance(value, str):
            break
    else:
        return given if type(given) is dict else dict(given), ()
    numbers = {name: value for name, value in given.items() if not isinstance(value, str)}
    return numbers, tuple((name, value) for name, value in given.items() if isinstance(value, str))


def request(key: tuple[Any, ...]) -> str:
    """The options that a key stands for, as JSON."""
    case, formulas, measure, columns, grid, engine, fast_math, sweep, settings = key
    return json.dumps(
        {
            "case": case,
            "set": formulas,
            "clock": clock({name: value for name, _, value in settings}),
            "measure": measure,
            "vars": columns,
            "grid": grid,
            "engine": engine,
            "fast_math": fast_math,
            "sweep": sweep,
        }
    )
