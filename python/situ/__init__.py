"""situ: rule tables of physical systems, run, stepped, swept and asked why.

>>> import situ
>>> hoop = situ.load("scenarios/hoop/table.ron")
>>> run = hoop.run(events=True, stop=2)
>>> print(f"{run['h'].min():.1f} {run.units['h']}")
20.4 cm
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ._errors import Diagnostic, NameUnknown, RunError, TableError, VersionError
from ._frame import Columns, Events
from ._live import CommandError, Live, Reply
from ._options import Clock
from ._picture import Picture
from ._run import Reason, Run, Summary, Why
from ._situ import VERSION as __version__
from ._situ import run_slice
from ._sweep import Distribution, Sweep, grid, joined, lognormal, normal, triangular, uniform
from ._table import Name, Table, load, loads

__all__ = [
    "Clock",
    "Columns",
    "CommandError",
    "Diagnostic",
    "Distribution",
    "Events",
    "Live",
    "Name",
    "NameUnknown",
    "Picture",
    "Reason",
    "Reply",
    "Run",
    "RunError",
    "Summary",
    "Sweep",
    "Table",
    "TableError",
    "VersionError",
    "Why",
    "__version__",
    "grid",
    "join",
    "load",
    "loads",
    "lognormal",
    "normal",
    "run_slice",
    "slices",
    "triangular",
    "uniform",
]


def slices(table: Table, over: Any, **keywords: Any) -> Iterator[bytes]:
    """The slices of a sweep as bytes: `table.slices(over, ..)`. Each is run by `run_slice`, wherever that is.

    >>> import situ
    >>> hoop = situ.load("scenarios/hoop/table.ron")
    >>> pieces = list(situ.slices(hoop, {"h": [100, 200, 300]}, size=2, measure="max(h)", events=True))
    >>> situ.join(map(situ.run_slice, pieces))["max(h)"].tolist()
    [100.0, 200.0, 300.0]
    """
    return table.slices(over, **keywords)


def join(results: Iterable[bytes]) -> Sweep:
    """Joins the results of slices, which stand in the order of their rows, into the result of the sweep.

    Raises `ValueError` if rows are missing, if a result was damaged, or if they are of two sweeps.
    """
    return joined(results, drawn=False, whole=True)
