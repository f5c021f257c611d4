"""Mistakes as values: what a terminal shows, and the same as data."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._run import Run


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a table or a run, as `situ check --json` has it.

    >>> import situ
    >>> try:
    ...     situ.loads('(format: 1, reals: {"x": 1}, relations: ["x = integral(-y)"])')
    ... except situ.TableError as error:
    ...     found = error.diagnostics[0]
    >>> found.code, found.line, found.severity
    ('N001', 1, 'error')
    """

    code: str
    """Stable name of the kind of finding; `situ explain CODE` tells more."""
    severity: str
    """`error`, `warning` or `note`."""
    message: str
    """One line."""
    file: str | None = None
    """File or name of the text in which it stands."""
    line: int | None = None
    """Line, counted from 1."""
    column: int | None = None
    """Column in characters, counted from 1."""
    help: str | None = None
    """What to do, if that can be said."""
    notes: tuple[str, ...] = ()
    labels: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    """Places with what each is, the primary one first."""
    edit: dict[str, Any] | None = field(default=None, hash=False)
    """The change that repairs it, if there is one."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.severity}[{self.code}]: {self.message}"


def diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """The findings of a JSON array."""
    found = []
    for one in json.loads(text):
        first = one["labels"][0] if one["labels"] else {}
        found.append(
            Diagnostic(
                code=one["code"],
                severity=one["severity"],
                message=one["message"],
                file=first.get("file"),
                line=first.get("line"),
                column=first.get("column"),
                help=one.get("help"),
                notes=tuple(one["notes"]),
                labels=tuple(one["labels"]),
                edit=one.get("edit"),
            )
        )
    return tuple(found)


class TableError(ValueError):
    """A table, or a text beside it, has mistakes; printed, it is what a terminal shows.

    >>> import situ
    >>> try:
    ...     situ.loads("(format: 1, realz: {})")
    ... except situ.TableError as error:
    ...     print(error.diagnostics[0].help)
    did you mean `reals`?
    """

    def __init__(self, text: str, json: str) -> None:
        super().__init__(text, json)
        self.diagnostics: tuple[Diagnostic, ...] = diagnostics(json)
        """Everything that was found, in the order of the places."""

    def __str__(self) -> str:
        return "\n" + self.args[0]


class RunError(RuntimeError):
    """A run could not begin or not go on; printed, it is what a terminal shows.

    >>> import situ
    >>> table = situ.loads('''(format: 1, clock: (step: 0.1, stop: 9), reals: {"x": 1, "y": 0},
    ...     relations: ["x = integral(-1)", "y = 1 / max(x, 0)"])''')
    >>> try:
    ...     table.run()
    ... except situ.RunError as error:
    ...     print(error.rule, len(error.run["x"]) > 5)
    2 True
    """

    def __init__(self, text: str, json: str, run: Any = None, rule: str | None = None) -> None:
        super().__init__(text, json, run, rule)
        self.diagnostics: tuple[Diagnostic, ...] = diagnostics(json)
        """Why, with the row that is to blame."""
        self.run: Run | None = run
        """The rows up to there; `None` if it did not begin."""
        self.rule = rule
        """Id of the row, if it is one."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args[:2], self.run, self.rule)

    @property
    def time(self) -> float | None:
        """The last time that the run came to; its rows need not go so far."""
        return None if self.run is None else float(self.run._last["time"])

    @property
    def values(self) -> dict[str, Any]:
        """The values there, by name."""
        return {} if self.run is None else dict(self.run._last)

    def __str__(self) -> str:
        return "\n" + self.args[0]


class NameUnknown(KeyError):
    """A name that is not known, with the nearest one that is."""

    def __str__(self) -> str:
        return str(self.args[0])


class VersionError(ValueError):
    """A slice or a result of another version of situ; both versions are named."""
