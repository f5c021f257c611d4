"""Runs that are over: rows, events, measures, and the reasons for all of it."""

from __future__ import annotations

import functools
import html
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _errors, _situ
from ._frame import Columns, Events
from ._picture import Picture

if TYPE_CHECKING:
    from ._table import Table


@dataclass(frozen=True)
class Reason:
    """A fact with what it follows from."""

    text: str
    """In the words of the table."""
    holds: bool | None
    """Whether its subject holds; `None` for values."""
    margin: float | None
    """Distance of a comparison from changing, positive while it holds [unit of its sides]."""
    under: tuple[Reason, ...]
    """What it follows from."""


class Why:
    """An explanation: printed, the lines that the prompt shows; `tree` is the same as data."""

    def __init__(self, text: str, data: list[dict[str, Any]]) -> None:
        self.text = text
        self._data = data

    @property
    def tree(self) -> Reason:
        """The reasons as a tree."""
        def below(depth: int, at: int) -> tuple[tuple[Reason, ...], int]:
            found = []
            while at < len(self._data) and self._data[at]["depth"] == depth:
                line = self._data[at]
                under, at = below(depth + 1, at + 1)
                found.append(Reason(line["text"], line["holds"], line["margin"], under))
            return tuple(found), at

        return below(0, 0)[0][0]

    def __str__(self) -> str:
        return self.text.rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Summary:
    """What a run was like: printed, what `situ run` shows; `data` is what `situ run --json` has."""

    def __init__(self, text: str, data: dict[str, Any]) -> None:
        self.text = text
        self.data = data

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __str__(self) -> str:
        return self.text.rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Run(Columns):
    """A run that is over, immutable: its rows are columns (see `Columns`), its events and measures stand beside them.

    >>> import situ
    >>> run = situ.load("scenarios/hoop/table.ron").run(events=True, stop=2, measure="max(h)")
    >>> run["h"].dtype, run["contact"].dtype
    (dtype('float64'), dtype('bool'))
    >>> run.measures
    {'max(h)': 400.0}
    """

    def __init__(self, raw: _situ.Run, table: Table, key: tuple[Any, ...], given: dict[str, Any] | None) -> None:
        super().__init__(raw.frame())
        self._raw = raw
        self._table = table
        self._key = key
        self._given = given
        self._past: _situ.Past | None = None
        self._events: Events | None = None

    @functools.cached_property
    def _last(self) -> dict[str, Any]:
        """What stands where it ended, by name; the rows of a run that has failed need not go so far."""
        last = Columns(self._raw.last())
        return {name: last[name][0] for name in last.names}

    @property
    def table(self) -> Table:
        """The table that was run."""
        return self._table

    @property
    def ended(self) -> str:
        """Why it ended: `stop`, `condition`, `fault` or `interrupted`."""
        return self._raw.ended()

    @property
    def measures(self) -> dict[str, float | None]:
        """The measures by their texts; `None` where one has no value, such as a time that was not reached."""
        return dict(zip(self._raw.measured_texts(), self._raw.measured(), strict=True))

    @property
    def events(self) -> Events:
        """What happened at the instants; empty in a tick run."""
        if self._events is None:
            self._events = Events(self._raw.events())
        return self._events

    @property
    def summary(self) -> Summary:
        """What it was like."""
        text, data, _, _ = self._raw.summary()
        return Summary(text, json.loads(data))

    @property
    def diagnostics(self) -> tuple[_errors.Diagnostic, ...]:
        """What was remarkable about it, such as a condition that changed its truth at almost every tick."""
        return _errors.diagnostics(self._raw.summary()[3])

    def why(self, name: str, at: float | None = None) -> Why:
        """Says why a boolean holds or a real has its value, at a time or at the end, as `why` at the prompt.

        `"not contact"` asks why it does not hold, and when it is going to.

        >>> import situ
        >>> run = situ.load("scenarios/hoop/table.ron").run(events=True, stop=2)
        >>> why = run.why("braking", at=0.87)
        >>> print(why)
        + braking holds
          + [1] contact & V_neg
            + contact holds
              + h < R: 28.7442 < 30, margin 1.25579
            + V_neg holds
              + Vy < 0: -846.042 < 0, margin 846.042
        >>> why.tree.under[0].holds
        True
        """
        end = float(self._last["time"])
        at = end if at is None else float(at)
        if not self["time"][0] <= at <= end:
            raise ValueError(f"t = {at} is not in the run: it goes from {self['time'][0]} to {end}")
        negated = name.startswith("not ")
        if self._past is None:
            self._past = self._table._ready(self._key).past(self._given, end)
        text, data = self._past.why(name.removeprefix("not ").strip() if negated else name, at, negated)
        return Why(text, json.loads(data))

    def at(self, times: Iterable[float], name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The value of a quantity at times, in any order, exactly: the run is done again, and stops there.

        Shapes: one value per time. Between two ticks it is on the straight line, as the measure `at(x, T)`.

        >>> import situ
        >>> run = situ.load("scenarios/hoop/table.ron").run(events=True, stop=2)
        >>> run.at([0.5, 0.25], "h").round(2).tolist()
        [277.38, 369.34]
        """
        wanted = np.asarray(times, dtype=float)
        order = np.argsort(wanted, axis=None, kind="stable")
        found = np.empty(wanted.size)
        found[order] = self._raw.at(name, wanted.ravel()[order].tolist())
        return found.reshape(wanted.shape)

    def plot(self, curves: str | None = None) -> Picture:
        """A picture of its curves and situations; `curves` is as `situ run --curves`: `"h,contact"`, `"h:Vy"`."""
        return Picture(self._raw.svg(curves), self._table._read)

    def __repr__(self) -> str:
        return str(self.summary)

    def _repr_html_(self) -> str:
        return f"<div>{self.plot().svg}<pre>{html.escape(str(self.summary))}</pre></div>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self._same(other) and self.measures == other.measures

    def __hash__(self) -> int:
        return hash((self._table, self._key, self.ended, len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        frames = self._frame.to_bytes(), self._raw.events().to_bytes(), self._raw.last().to_bytes()
        end = self._raw.measured(), self.ended, self._raw.rule()
        return _travelled, (self._table, self._key, self._given, frames, end, self._raw.summary())

    def __copy__(self) -> Run:
        return self

    def __deepcopy__(self, memo: Mapping[int, Any]) -> Run:
        return self


def _travelled(table: Table, key: tuple[Any, ...], given: dict[str, Any] | None, frames: Any, end: Any, told: Any) -> Run:
    raw = _situ.Run.restored(table._ready(key), given, frames, end, told)
    return Run(raw, table, key, given)
