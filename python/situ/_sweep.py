"""Sweeps: many runs of one table, on all cores or on a cluster."""

from __future__ import annotations

import html
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _options, _situ
from ._frame import Columns
from ._picture import Picture

if TYPE_CHECKING:
    from ._table import Table


@dataclass(frozen=True)
class Distribution:
    """A way in which a value varies; `uniform`, `normal` and the others make one."""

    kind: str
    numbers: tuple[float, ...]


def uniform(low: float, high: float) -> Distribution:
    """Each value between two is equally likely.

    >>> import situ
    >>> situ.uniform(1, 5)
    Distribution(kind='uniform', numbers=(1.0, 5.0))
    """
    return _distribution("uniform", low=low, high=high)


def normal(mean: float, deviation: float) -> Distribution:
    """Normal, with its standard deviation."""
    return _distribution("normal", mean=mean, deviation=deviation)


def lognormal(mean: float, deviation: float) -> Distribution:
    """The logarithm is normal, with this mean and standard deviation."""
    return _distribution("lognormal", mean=mean, deviation=deviation)


def triangular(low: float, mode: float, high: float) -> Distribution:
    """Between two values, most likely at a third."""
    return _distribution("triangular", low=low, mode=mode, high=high)


def grid(low: float, high: float, points: int) -> Distribution:
    """Points at equal distances, both ends among them, as `--over 'K=1..5/9'`."""
    return _distribution("grid", low=low, high=high, points=whole("the number of points", points, 1))


def _distribution(kind: str, **given: Any) -> Distribution:
    numbers = []
    for name, value in given.items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise TypeError(f"`{name}` of `{kind}` is a number, not {value!r}") from None
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ValueError(f"`{name}` of `{kind}` is a finite number, not {number}")
        numbers.append(number)
    return Distribution(kind, tuple(numbers))


def whole(what: str, given: Any, least: int, most: int = (1 << 64) - 1) -> int:
    """A whole number, of any type of number."""
    if not isinstance(given, bool | np.bool_ | str | bytes):
        try:
            number = int(given)
        except (TypeError, ValueError, OverflowError):
            pass
        else:
            if number == given and least <= number <= most:
                return number
    to = "on" if most >= 1 << 63 else f"to {most}"
    raise ValueError(f"{what} is a whole number from {least} {to}, not {given!r}")


class Sweep(Columns):
    """What the runs of a sweep came to: a row each, with `run`, what varied, the measures, `time`, `ended`, `fault`.

    >>> import situ
    >>> hoop = situ.load("scenarios/hoop/table.ron")
    >>> result = hoop.sweep({"h": [300, 400]}, measure="max(h)", events=True, progress=False)
    >>> result["max(h)"].tolist(), len(result)
    ([300.0, 400.0], 2)
    """

    def __init__(self, frame: _situ.Frame, drawn: bool, read: Iterable[str] = ()) -> None:
        super().__init__(frame)
        self._drawn = drawn
        self._read = tuple(read)

    @property
    def measures(self) -> list[str]:
        """The texts of the measures."""
        return [name for name, kind in self.kinds.items() if kind == "measure"]

    @property
    def failed(self) -> int:
        """How many runs failed; their rows say why in `fault`."""
        return int(np.isin(self["ended"], ("failed", "refused")).sum())

    def plot(self) -> Picture:
        """A picture: curves over one value, a map over two, histograms where values were sampled."""
        return Picture(_situ.picture(self._frame, self._drawn), self._read)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sweep) and self._same(other)

    def __hash__(self) -> int:
        return hash(self._frame.to_bytes())

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._frame.to_bytes(), self._drawn)

    def __repr__(self) -> str:
        lines = [f"{len(self)} runs" + (f", of which {self.failed} failed" if self.failed else "")]
        for name in self.measures:
            values = self[name][~np.isnan(self[name])]
            if len(values):
                lines.append(f"{name}: {values.min():.6g} to {values.max():.6g}, mean {values.mean():.6g}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        try:
            picture = self.plot().svg
        except ValueError:
            picture = ""
        return f"<div>{picture}<pre>{html.escape(repr(self))}</pre></div>"


def _again(frame: bytes, drawn: bool) -> Sweep:
    return Sweep(_situ.Frame.from_bytes(frame), drawn)


def _axis(name: str, given: Any) -> tuple[str, list[float]]:
    if isinstance(given, Distribution):
        return given.kind, list(given.numbers)
    if isinstance(given, str | bytes) or isinstance(given, Mapping):
        raise TypeError(f"`{name}` varies by a list, situ.grid(..) or a distribution, not {given!r}")
    try:
        values: np.ndarray[Any, Any] = np.ma.filled(np.ma.asarray(given, dtype=float), np.nan).ravel()
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"`{name}` varies by numbers, not {given!r}") from None
    if not np.isfinite(values).all():
        raise ValueError(f"`{name}` has values that are missing or not finite")
    return "list", values.tolist()


def _varies(over: Any, runs: int | None, sample: str, seed: int) -> tuple[list[str], dict[str, Any]]:
    runs = runs if runs is None else whole("`runs`", runs, 1)
    seed = whole("`seed`", seed, 0)
    if sample not in ("latin", "random", "sobol"):
        raise ValueError(f"`sample` is latin, random or sobol, not {sample!r}")
    if isinstance(over, Mapping):
        axes = [_axis(name, given) for name, given in over.items()]
        if not axes:
            raise ValueError("nothing varies")
        return list(over), {"axes": {"axes": axes, "way": sample, "runs": runs, "seed": seed}}
    # A frame: a column for each quantity, a line for each run.
    names = [str(name) for name in getattr(over, "columns", None) or getattr(over, "names", None) or ()] if not hasattr(over, "keys") else [str(name) for name in over.keys()]
    if not names:
        raise TypeError(f"what varies is {{'m': [1, 2]}} or a frame with a column each, not {type(over).__name__}")
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise ValueError(f"`{twice}` is to vary in two ways: the frame has two columns of that name")
    if runs is not None:
        raise ValueError("a frame has its runs: leave `runs` out")
    columns = [_axis(name, over[name])[1] for name in names]
    rows = [list(row) for row in zip(*columns, strict=True)]
    if not rows:
        raise ValueError("the frame has no rows: nothing varies")
    return names, {"rows": {"rows": rows, "first": 0, "all": len(rows)}}


def study(table: Table, over: Any, runs: int | None, sample: str, seed: int, key: tuple[Any, ...], numbers: Any) -> _situ.Study:
    """A sweep that is ready to be run."""
    names, varies = _varies(over, runs, sample, seed)
    options = json.loads(_options.request(key))
    # Numbers that are set become texts that read back to the same bits.
    for name, value in (numbers or {}).items():
        options["set"].append((name, number(name, value)))
    return _situ.Study(
        json.dumps({"version": _situ.VERSION, "texts": table.texts, "options": options, "inputs": names, "varies": varies}),
        table._raw.files(),
    )


def number(name: str, value: Any) -> str:
    """A number that is set, as a text that reads back to the same bits."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    try:
        return _situ.number(float(value))
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"`{name}` is set to a number, not to {value!r}") from None


def slices(study: _situ.Study, size: int | None = None, start: int = 0) -> Iterator[bytes]:
    """The slices of a sweep, one after the other, as bytes."""
    total = len(study)
    step = max(1, min(4096, -(-total // 64))) if size is None else whole("the size of a slice", size, 1)
    for begin in range(start, total, step):
        yield study.slice(begin, min(begin + step, total))


class Bar:
    """Progress on stderr, after a second."""

    def __init__(self, total: int, shown: bool) -> None:
        self.total, self.shown = total, shown
        self.begun = self.drawn = time.monotonic()

    def at(self, done: int) -> None:
        now = time.monotonic()
        if self.shown and now - self.begun > 1 and now - self.drawn > 0.1:
            self.drawn = now
            share = done / max(self.total, 1)
            left = (now - self.begun) * (1 - share) / max(share, 1e-9)
            full = int(40 * share)
            print(f"\r{'█' * full}{'·' * (40 - full)} {100 * share:3.0f} %, {left:.0f} s left ", end="", file=sys.stderr)

    def end(self) -> None:
        if self.drawn > self.begun:
            print("\r" + " " * 70 + "\r", end="", file=sys.stderr)


def joined(
    results: Iterable[bytes],
    drawn: bool,
    bar: Bar | None = None,
    whole: bool = False,
    parts: _situ.Joined | None = None,
    read: Iterable[str] = (),
) -> Sweep:
    """The results of slices, in the order of their rows; `whole`: all rows of the sweep have to be there."""
    parts = _situ.Joined() if parts is None else parts
    try:
        for result in results:
            done = parts.add(result)
            if bar:
                bar.at(done)
        if whole:
            parts.check_whole()
    except KeyboardInterrupt as stopped:
        stopped.result = Sweep(parts.finish(), drawn, read)  # type: ignore[attr-defined]
        raise
    finally:
        if bar:
            bar.end()
    return Sweep(parts.finish(), drawn, read)


def here(study: _situ.Study, threads: int, drawn: bool, bar: Bar, read: Iterable[str] = ()) -> Sweep:
    """Runs a sweep on the cores of this machine."""
    parts = study.joined()

    def take(part: bytes) -> None:
        bar.at(parts.add(part))

    try:
        study.run(0, threads, take)
    except KeyboardInterrupt as stopped:
        stopped.result = Sweep(parts.finish(), drawn, read)  # type: ignore[attr-defined]
        raise
    finally:
        bar.end()
    return Sweep(parts.finish(), drawn, read)


def on_cluster(study: _situ.Study, client: Any, size: int | None, start: int = 0) -> Iterator[bytes]:
    """The results of a sweep's slices on a cluster of Dask, in the order of their rows.

    As many slices are out as there are threads, times two. What a lost worker had is done again by another.
    """
    threads = sum(client.nthreads().values()) or 1
    total = len(study)
    if size is None:
        size = max(1, min(4096, -(-total // (8 * threads))))
    waiting: dict[int, Any] = {}
    source = enumerate(slices(study, size, start))
    given = 0

    def submit() -> bool:
        for number, piece in source:
            waiting[number] = client.submit(_situ.run_slice, piece, pure=False, retries=3)
            return True
        return False

    try:
        while len(waiting) < 2 * threads and submit():
            pass
        while waiting:
            result = waiting.pop(given).result()
            given += 1
            submit()
            yield result
    finally:
        if waiting:
            client.cancel(list(waiting.values()), force=True)


def into_file(study: _situ.Study, path: Any, resume: bool, client: Any, threads: int, size: int | None, bar: Bar) -> int:
    """Writes results as they come, in constant memory; the number of runs in the file."""
    file = study.file(os.fspath(path), resume)
    try:
        if client is not None:
            for result in on_cluster(study, client, size, file.rows()):
                bar.at(file.add(result))
        elif file.rows() < len(study):
            study.run(file.rows(), threads, lambda part: bar.at(file.add(part)))
        return file.rows()
    finally:
        bar.end()
        file.close()
