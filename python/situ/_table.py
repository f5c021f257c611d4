"""Tables: read, built, run."""

from __future__ import annotations

import html
import inspect
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Unpack

import numpy as np

from . import _errors, _files, _options, _situ, _sweep
from ._errors import Diagnostic, RunError
from ._live import Live
from ._options import Clock
from ._run import Run
from ._sweep import Sweep

_MOST_READY = 16
"""Combinations of options that are kept ready to be run again."""


class Name(str):
    """A name of a table, as it is written in rules: between backticks if it has to be."""


class Table:
    """A rule table. `situ.load` and `situ.loads` read one; `situ.Table(name)` begins one that a program builds.

    A table that was read never changes and may be shared between threads. It compares and hashes by its texts.

    >>> import situ
    >>> table = situ.Table("growth")
    >>> k = table.constant("k", 0.3, unit="1/s")
    >>> x = table.real("x", 1)
    >>> table.relation(f"{x} = integral({k} * {x})")
    >>> table.event("full", "x > 10")
    >>> run = table.run(events=True, stop=9)
    >>> float(run.events["time"][run.events["what"] == "fired"][0].round(4))
    7.6753
    """

    def __init__(self, name: str, *, about: str = "", source: str = "") -> None:
        self._parts: dict[str, list[str]] | None = {part: [] for part in _PARTS}
        self._head = [("name", name), ("about", about), ("source", source)]
        self._raw_or_none: _situ.Table | None = None
        self._read: tuple[str, ...] = ()
        self._kept: dict[tuple[Any, ...], _situ.Prepared] = {}
        self._is_key = False

    @classmethod
    def _of(cls, raw: _situ.Table) -> Table:
        table = cls.__new__(cls)
        table._parts = None
        table._raw_or_none = raw
        table._read = _files.found(name for name, _ in [*raw.texts(), *raw.files()])
        table._kept = {}
        table._is_key = False
        return table

    @classmethod
    def _of_texts(cls, texts: list[tuple[str, str]], files: list[tuple[str, bytes]]) -> Table:
        return cls._of(_situ.Table.of_texts(texts, files))

    @property
    def _raw(self) -> _situ.Table:
        if self._raw_or_none is None:
            self._raw_or_none = _situ.read_text(f"<{self._head[0][1]}>", self._text())
        return self._raw_or_none

    # What stands in it.

    @property
    def _content(self) -> dict[str, Any]:
        return json.loads(self._raw.content())

    @property
    def name(self) -> str:
        """Its name."""
        return self._content["name"]

    @property
    def about(self) -> str:
        """Its description, one line."""
        return self._content["about"]

    @property
    def constants(self) -> dict[str, dict[str, str]]:
        """The constants by name: `start` (value or expression), `unit`, `about`."""
        return _by_name(self._content["constants"])

    @property
    def reals(self) -> dict[str, dict[str, str]]:
        """The reals by name: `start` (value or expression), `unit`, `about`."""
        return _by_name(self._content["reals"])

    @property
    def booleans(self) -> dict[str, str]:
        """Switches, ranges, situations and events by name, with their kind."""
        return {one["name"]: one["kind"] for one in self._content["booleans"]}

    @property
    def cases(self) -> dict[str, str]:
        """The cases by name, with their descriptions."""
        return dict(self._content["cases"])

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """Names and texts: its own, and those of the tables that it extends or has as parts."""
        return tuple(self._raw.texts())

    @property
    def _said(self) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
        """All texts, and the files of lookups."""
        return tuple(text for _, text in self.texts), tuple(file for _, file in self._raw.files())

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What `situ check` finds in it."""
        return _errors.diagnostics(self._raw.check()[1])

    def to_ron(self) -> str:
        """Its text, as `situ fmt` lays it out."""
        return self._raw.formatted()

    # Runs.

    def run(
        self,
        *,
        case: str | None = None,
        set: Mapping[str, float | bool | str] | None = None,
        vars: str | Iterable[str] | None = None,
        measure: str | Iterable[str] | None = None,
        grid: bool = False,
        engine: str | None = None,
        fast_math: bool = False,
        **clock: Unpack[Clock],
    ) -> Run:
        """Runs the table, as `situ run`, while other threads go on.

        Keywords are the options of `situ run` and have the same meaning:

        case: a case of the table.
        set: constants, start values and switches with numbers, truth values or expressions.
        vars: columns: constants, reals, booleans and expressions [default: reals and booleans].
        measure: measures, such as `max(h)`, `period(contact)`, `first(h < 1)`, `at(h, 0.5)`.
        grid: rows on the grid of `every` only, not on both sides of every instant (event stepping).
        engine: `auto`, `interpreter` or `native`; results are the same to the last bit.
        fast_math: native code that divides and rounds faster: last digits of ticks change.

        Raises `NameUnknown` (a `KeyError`), `ValueError`, `TypeError` or `TableError` for what is wrong with a keyword;
        `RunError`, which has the rows until there, if the run fails; `KeyboardInterrupt` at Ctrl-C, with them in its
        attribute `run`.

        >>> import situ
        >>> hoop = situ.load("scenarios/hoop/table.ron")
        >>> run = hoop.run(set={"m": 2, "h": 300}, measure=["period(contact)", "max(h)"])
        >>> run.measures["max(h)"]
        300.0
        """
        given, formulas = self._values(set)
        _options.choices(case, engine)
        key = (
            case,
            formulas,
            _options.texts("measure", measure) if measure else (),
            None if vars is None else _options.texts("vars", _situ.columns(vars) if isinstance(vars, str) else vars),
            _options.truth("grid", grid),
            engine,
            _options.truth("fast_math", fast_math),
            False,
            _options.stated(clock),
        )
        try:
            ready = self._kept.get(key) or self._ready(key)
        except TypeError:
            # A value that is not even hashable is named.
            _options.clock(clock)
            raise
        try:
            return Run(ready.run(given), self, key, given)
        except (RunError, KeyboardInterrupt) as error:
            raw = getattr(error, "run", None)
            if isinstance(raw, _situ.Run):
                error.run = Run(raw, self, key, given)  # type: ignore[union-attr]
            raise

    def _values(self, set: Mapping[str, float | bool | str] | None) -> tuple[dict[str, Any] | None, tuple[tuple[str, str], ...]]:
        """Numbers that are set, and expressions. A number that decides the size of families makes another model, as these do."""
        given, formulas = _options.values(set)
        sizing = self._raw.sizing() if given else ()
        if not given or not sizing:
            return given, formulas
        sizes = tuple((name, _sweep.number(name, value)) for name, value in given.items() if name in sizing)
        return {name: value for name, value in given.items() if name not in sizing}, formulas + sizes

    def start(
        self,
        *,
        case: str | None = None,
        set: Mapping[str, float | bool | str] | None = None,
        engine: str | None = None,
        **clock: Unpack[Clock],
    ) -> Live:
        """Begins a session: a run by hand, with the commands of the prompt as methods.

        >>> import situ
        >>> with situ.load("scenarios/hoop/table.ron").start(set={"h": 300}) as live:
        ...     live.step(100)
        ...     live.back()
        ...     live["h"] < 300
        t = 0.01, step 100: V_neg, free_fall
        t = 0.0099, step 99: V_neg, free_fall (past)
        True
        """
        _options.choices(case, engine)
        return Live(self, case=case, set=set, engine=engine, clock=clock)

    def _study(
        self, over: Any, runs: int | None, sample: str, seed: int, measure: Any, case: str | None, set: Any, engine: str | None, clock: Any
    ) -> _situ.Study:
        given, formulas = _options.values(set)
        texts = _options.texts("measure", measure) if measure else ()
        _options.choices(case, engine)
        key = (case, formulas, texts, None, False, engine, False, True, _options.stated(clock))
        return _sweep.study(self, over, runs, sample, seed, key, given)

    def sweep(
        self,
        over: Mapping[str, Any] | Any,
        *,
        runs: int | None = None,
        sample: str = "latin",
        seed: int = 0,
        measure: str | Iterable[str] | None = None,
        case: str | None = None,
        set: Mapping[str, float | bool | str] | None = None,
        engine: str | None = None,
        threads: int | None = None,
        client: Any = None,
        slice: int | None = None,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        progress: bool | None = None,
        **clock: Unpack[Clock],
    ) -> Sweep | int:
        """Runs the table many times with other values, as `situ sweep`, on all cores or on a cluster.

        over: names with what they vary by: a list, `situ.grid(1, 5, 9)`, `situ.uniform(1, 5)`, `situ.normal(3, 0.1)`;
            listed values are combined with each other. Or a frame with a column for each name and a line for each run.
        runs: how often distributions are sampled; `sample` says how (latin, random, sobol), `seed` which samples.
        measure: measures [default: the final value of every real in the output].
        threads: number of threads, 1024 at most; there are never more than runs [default: one per core].
        client: a `dask.distributed.Client`: slices of the sweep run on its workers; bits stay what they are.
        slice: runs in a slice [default: chosen].
        out: a file that results go into as they come, in constant memory: Parquet if its name ends in .parquet, else CSV, as
            `situ sweep` writes them; then the number of runs is what comes back. It is not a file that the table was read from.
        resume: goes on with what an earlier sweep has left in `out`.
        progress: a bar on stderr [default: if it is a terminal].

        Ctrl-C raises `KeyboardInterrupt`, whose attribute `result` has what was finished.

        >>> import situ
        >>> hoop = situ.load("scenarios/hoop/table.ron")
        >>> result = hoop.sweep({"m": situ.uniform(1, 5)}, runs=10, measure="max(h)", events=True)
        >>> len(result), result.failed
        (10, 0)
        """
        study = self._study(over, runs, sample, seed, measure, case, set, engine, clock)
        shown = sys.stderr.isatty() if progress is None else progress
        bar = _sweep.Bar(len(study), shown)
        cores = 0 if threads is None else min(_sweep.whole("`threads`", threads, 1, 1024), len(study))
        if out is not None:
            _files.check("`out`", out, self._read)
            return _sweep.into_file(study, out, resume, client, cores, slice, bar)
        if resume:
            raise ValueError("`resume` needs the file of the sweep: out=")
        if client is not None:
            results = _sweep.on_cluster(study, client, slice)
            return _sweep.joined(results, runs is not None, bar, parts=study.joined(), read=self._read)
        return _sweep.here(study, cores, runs is not None, bar, self._read)

    def slices(
        self,
        over: Mapping[str, Any] | Any,
        *,
        size: int | None = None,
        runs: int | None = None,
        sample: str = "latin",
        seed: int = 0,
        measure: str | Iterable[str] | None = None,
        case: str | None = None,
        set: Mapping[str, float | bool | str] | None = None,
        engine: str | None = None,
        **clock: Unpack[Clock],
    ) -> Iterator[bytes]:
        """The slices of a sweep as bytes, `size` runs each, for any scheduler: see `situ.run_slice` and `situ.join`."""
        study = self._study(over, runs, sample, seed, measure, case, set, engine, clock)
        return _sweep.slices(study, size)

    def _ready(self, key: tuple[Any, ...]) -> _situ.Prepared:
        ready = self._kept.get(key)
        if ready is None:
            ready = self._raw.prepare(_options.request(key))
            while len(self._kept) >= _MOST_READY:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[key] = ready
        return ready

    # Building.

    def _add(self, part: str, line: str) -> None:
        if self._parts is None:
            raise TypeError("a table that was read does not change; situ.Table(name) begins one that does")
        if self._is_key:
            raise TypeError("the table has been hashed, and does not change any more")
        self._parts[part].append(line)
        self._raw_or_none = None
        self._kept = {}

    def constant(self, name: str, value: float | str, *, unit: str = "", about: str = "") -> Name:
        """Adds a constant: a number, or an expression over constants [in its unit]."""
        self._add("constants", _quantity(name, value, unit, about, True))
        return Name(_situ.name(name))

    def real(
        self, name: str, start: float | str = 0, *, unit: str = "", about: str = "", output: bool = True
    ) -> Name:
        """Adds a real with its start value; `output=False` leaves it out of rows."""
        self._add("reals", _quantity(name, start, unit, about, output))
        return Name(_situ.name(name))

    def switch(self, name: str, start: bool = False, *, about: str = "") -> Name:
        """Adds a switch with its truth value at the start."""
        truth = "true" if start else "false"
        said = f", about: {_situ.string(about)}" if about else ""
        self._add("switches", f"{_situ.string(_situ.name(name))}: (start: {truth}{said})")
        return Name(_situ.name(name))

    def range(self, name: str, condition: str) -> Name:
        """Adds a range: a name for comparisons, `range("low", "level < 1")`."""
        return self._row("ranges", name, f"{_situ.name(name)}: {condition}")

    def situation(self, name: str, condition: str) -> Name:
        """Adds a situation: a name for a condition, `situation("braking", "contact & V_neg")`."""
        return self._row("situations", name, f"{_situ.name(name)}: {condition}")

    def event(self, name: str, condition: str) -> None:
        """Adds an event: it fires when the condition comes to hold."""
        self._row("situations", name, f"event {_situ.name(name)}: {condition}")

    def assignment(self, line: str) -> None:
        """Adds an assignment of switches: `assignment("when full: !pump")`."""
        self._add("assignments", _situ.string(line))

    def relation(self, line: str) -> None:
        """Adds a relation: `relation("x = integral(k * x) when growing")`."""
        self._add("relations", _situ.string(line))

    def clock(self, **settings: Any) -> None:
        """States settings of the clock, by the names that tables have: `clock(step=0.01, stop=8)`."""
        known = {row[0] for row in _situ.settings()}
        for name, value in settings.items():
            if name not in known:
                near = _situ.nearest(name, sorted(known))
                raise TypeError(f"the clock has no `{name}`" + (f"; did you mean `{near}`?" if near else ""))
            words = next(row[4] for row in _situ.settings() if row[0] == name)
            self._add("clock", f"{name}: {value if words else _value(value)}")

    def _row(self, part: str, name: str, line: str) -> Name:
        self._add(part, _situ.string(line))
        return Name(_situ.name(name))

    def _text(self) -> str:
        assert self._parts is not None
        head = [f"{key}: {_situ.string(text)}" for key, text in self._head if text]
        lines = [f"({', '.join(['format: 1', *head])},"]
        for part, rows in self._parts.items():
            if rows:
                opening, closing = _PARTS[part][0], _PARTS[part][1]
                lines += [f"    {part}: {opening}", *(f"        {row}," for row in rows), f"    {closing},"]
        return "\n".join([*lines, ")", ""])

    # As a value.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._said == other._said

    def __hash__(self) -> int:
        self._is_key = True
        return hash(self._said)

    def __reduce__(self) -> tuple[Any, ...]:
        return Table._of_texts, (list(self.texts), self._raw.files())

    def __copy__(self) -> Table:
        return Table._of_texts(list(self.texts), self._raw.files())

    def __repr__(self) -> str:
        content = self._content
        counts = ", ".join(
            f"{len(content[part])} {part}" for part in ("constants", "reals", "booleans", "cases") if content[part]
        )
        about = f": {content['about']}" if content["about"] else ""
        return f"<situ.Table {content['name']}{about}; {counts}, {content['relations']} relations>"

    def _repr_html_(self) -> str:
        text, _ = self._raw.check()
        said = f"<pre style='color:#a60'>{html.escape(text)}</pre>" if text else ""
        return f"<div><pre>{html.escape(self.texts[0][1])}</pre>{said}</div>"


_PARTS = {
    "clock": "()",
    "constants": "{}",
    "reals": "{}",
    "switches": "{}",
    "ranges": "[]",
    "situations": "[]",
    "assignments": "[]",
    "relations": "[]",
}
"""The parts of a table that a program builds, with their brackets, in written order."""


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _situ.string(value)
    if isinstance(value, bool):
        raise TypeError(f"a number or an expression is needed, not {value!r}")
    return _situ.number(float(value))


def _quantity(name: str, start: float | str, unit: str, about: str, output: bool) -> str:
    fields = [f"start: {_value(start)}"]
    fields += [f"{key}: {_situ.string(text)}" for key, text in (("unit", unit), ("about", about)) if text]
    fields += [] if output else ["output: false"]
    return f"{_situ.string(_situ.name(name))}: ({', '.join(fields)})"


def _by_name(rows: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    return {row["name"]: {key: value for key, value in row.items() if key != "name"} for row in rows}


def _numbers(name: str, field: str, given: Any) -> str:
    """Points of a lookup as a table has them."""
    try:
        values: np.ndarray[Any, Any] = np.ma.filled(np.ma.asarray(given, dtype=float), np.nan)
    except (TypeError, ValueError):
        raise TypeError(f"lookup `{name}`: `{field}` has numbers, not {given!r}") from None
    if values.ndim not in (1, 2):
        raise ValueError(f"lookup `{name}`: `{field}` is a list of numbers or a matrix, not of {values.ndim} dimensions")
    if not np.isfinite(values).all():
        raise ValueError(f"lookup `{name}`: `{field}` has values that are missing or not finite")
    if values.ndim == 2:
        return f"[{', '.join(_numbers(name, field, row) for row in values)}]"
    return f"[{', '.join(map(_situ.number, values.tolist()))}]"


def _lookup(name: str, given: Any) -> str:
    if isinstance(given, Mapping):
        fields = dict(given)
    elif isinstance(given, tuple | list) and len(given) in (2, 3):
        fields = dict(zip("xyz", given, strict=False))
    else:
        raise TypeError(f"lookup `{name}` is (x, y), (x, y, z) or a dict with `x`, `y` and more, not {given!r}")
    known = {"x", "y", "z", "kind", "outside", "units", "about"}
    for field in fields:
        if field not in known:
            near = _situ.nearest(field, sorted(known))
            raise TypeError(f"a lookup has no `{field}`" + (f"; did you mean `{near}`?" if near else ""))
    said = [f"{field}: {_numbers(name, field, fields[field])}" for field in "xyz" if field in fields]
    said += [f"{field}: {_situ.string(fields[field])}" for field in ("kind", "outside", "about") if field in fields]
    if "units" in fields:
        said.append(f"units: [{', '.join(map(_situ.string, fields['units']))}]")
    return f"{_situ.string(_situ.name(name))}: ({', '.join(said)})"


def _over(base: str, lookups: Mapping[str, Any]) -> str:
    """A table that gives another one lookups."""
    if not isinstance(lookups, Mapping):
        raise TypeError(f"`lookups` has names with points, {{'torque': (rpm, nm)}}, not {lookups!r}")
    rows = "".join(f"        {_lookup(name, given)},\n" for name, given in lookups.items())
    return f"(\n    format: 1,\n    extends: {_situ.string(base)},\n    lookups: {{\n{rows}    }},\n)\n"


def load(path: str | os.PathLike[str], lookups: Mapping[str, Any] | None = None) -> Table:
    """Reads the table of a file and the tables that it extends.

    lookups: measured points for procedures of the table, `{"torque": (rpm, nm)}`: arrays, lists or columns of a frame;
        or `{"torque": {"x": rpm, "y": nm, "kind": "pchip", "outside": "hold"}}`. They travel with the table.

    Raises `TableError` with all mistakes as data; `OSError` if the file cannot be read.

    >>> import situ
    >>> situ.load("scenarios/hoop/table.ron").constants["g"]["unit"]
    'cm/s^2'
    """
    path = os.fspath(path)
    if lookups:
        folder, name = os.path.split(path)
        with open(path, "rb"):
            pass
        return Table._of(_situ.read_text(os.path.join(folder, f"<lookups of {name}>"), _over(name, lookups)))
    return Table._of(_situ.read(path))


def loads(text: str, name: str = "<text>", lookups: Mapping[str, Any] | None = None) -> Table:
    """Reads a text as a table; `name` is what messages call it, and paths in the text are relative to it.

    Raises `TableError` with all mistakes as data.

    >>> import situ
    >>> table = situ.loads('(format: 1, clock: (step: 0.1, stop: 1), reals: {"x": 1}, relations: ["x = integral(-x)"])')
    >>> round(float(table.run()["x"][-1]), 3)
    0.349
    """
    if lookups:
        return Table._of_texts([(f"<lookups of {name}>", _over(name, lookups)), (name, text)], [])
    return Table._of(_situ.read_text(name, text))


Table.run.__doc__ = inspect.cleandoc(Table.run.__doc__ or "").replace(
    "Raises `NameUnknown`",
    "".join(f"{name}: {about}\n" for name, about in _options.keywords().items()) + "\nRaises `NameUnknown`",
    1,
)
