"""Pictures as notebooks show them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from . import _files


class Picture:
    """A picture that notebooks show; `svg` is its text."""

    def __init__(self, svg: str, read: Iterable[str] = ()) -> None:
        self.svg = svg
        self._read = tuple(read)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it into a file of SVG, but not over a file that the table was read from."""
        _files.check("`save`", path, self._read)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg
