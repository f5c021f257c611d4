"""Columns as numpy arrays that the engine's memory is, and their ways into frames."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _situ
from ._errors import NameUnknown

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import xarray


class Columns:
    """Columns of equal length, each with a name, a unit and a description.

    `columns[name]` is a numpy array that cannot be written to: it is the memory that the engine has filled. Everything
    that takes Arrow's streams takes it whole: `polars.DataFrame(columns)`, `pyarrow.table(columns)`, duckdb.
    """

    def __init__(self, frame: _situ.Frame) -> None:
        self._frame = frame
        self._arrays: dict[str, Any] = {}

    @functools.cached_property
    def _about(self) -> dict[str, tuple[int, str, str, str]]:
        """Of each column its place, kind, unit and description. Texts take longer than a short run: not before asked."""
        return {row[0]: (index, *row[1:]) for index, row in enumerate(self._frame.about())}

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self._about)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column; empty where there is none."""
        return {name: about[2] for name, about in self._about.items()}

    @property
    def about(self) -> dict[str, str]:
        """A description of each column, one line; empty where there is none."""
        return {name: about[3] for name, about in self._about.items()}

    @property
    def kinds(self) -> dict[str, str]:
        """What each column is: `time`, `real`, `constant`, `switch`, `range`, `situation`, `event`, `measure`."""
        return {name: about[1] for name, about in self._about.items()}

    def __getitem__(self, name: str) -> np.ndarray[Any, np.dtype[Any]]:
        """The values of a column, one per row."""
        array = self._arrays.get(name)
        if array is None:
            if name not in self._about:
                if not isinstance(name, str):
                    raise TypeError(f"a column has a name, not {name!r}")
                near = _situ.nearest(name, self.names)
                hint = f"did you mean `{near}`?" if near else f"there are {', '.join(self.names)}"
                raise NameUnknown(f"there is no column `{name}`; {hint}")
            column = self._frame.column(self._about[name][0])
            array = np.asarray(column) if not isinstance(column, list) else np.array(column, dtype=object)
            self._arrays[name] = array
        return array

    def __contains__(self, name: object) -> bool:
        return name in self._about

    def __iter__(self) -> Iterator[str]:
        return iter(self._about)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._frame)

    def keys(self) -> list[str]:
        """The names of the columns, so that `dict(columns)` has the arrays."""
        return self.names

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """All columns as a stream of Arrow's C interface; numbers are not copied, truth values become bits once."""
        return self._frame.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pyarrow.Table:
        """A table of pyarrow; units and descriptions are in the metadata of its columns."""
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """A frame of polars."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """A frame of pandas, one column each; units and descriptions are in its `attrs`."""
        import pandas

        frame = pandas.DataFrame({name: self[name] for name in self.names}, copy=False)
        frame.attrs = {"units": self.units, "about": self.about}
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """A dataset of xarray over the coordinate `time` (or the number of the row), with `units` and `long_name`."""
        import xarray

        over = "time" if "time" in self else "row"
        described = {
            name: {key: value for key, value in (("unit", unit), ("units", unit), ("about", text), ("long_name", text)) if value}
            for name, unit, text in zip(self.names, self.units.values(), self.about.values(), strict=True)
        }
        columns = {name: (over, self[name], described[name]) for name in self.names if name != over}
        index = self[over] if over in self else np.arange(len(self))
        return xarray.Dataset(columns, coords={over: (over, index, described.get(over, {}))})

    def _same(self, other: Columns) -> bool:
        return self._frame == other._frame


class Events(Columns):
    """What happened at the instants of an event-accurate run, one row for each thing.

    Columns: `time`, `instant` (its number), `microstep`, `what` (`reached`, `fired`, `range`, `acted` and so on),
    `name`, `direction` (the side or truth value that it came to), `rule` (id of the row), `margin`, `rate`,
    `sensitivity` (of the time of the event to the margin), `remark`.
    """

    def __repr__(self) -> str:
        rows = (" ".join(str(self[name][row]) for name in ("time", "what", "name", "direction")) for row in range(min(len(self), 10)))
        more = f"\n.. {len(self)} in all" if len(self) > 10 else ""
        return "\n".join(rows) + more

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Events) and self._same(other)

    __hash__ = None  # type: ignore[assignment]
