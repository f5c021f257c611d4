"""Pictures as notebooks show them."""

from __future__ import annotations


class Picture:
    """A picture that notebooks show; `svg` is its text."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str) -> None:
        """Writes it into a file of SVG."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg
