"""Sessions: a run by hand, with the commands of the prompt as methods."""

from __future__ import annotations

import html
import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _errors, _options, _situ

if TYPE_CHECKING:
    from ._table import Table


class CommandError(RuntimeError):
    """A command of a session could not do what it was asked; nothing has changed."""

    def __init__(self, text: str, data: dict[str, Any]) -> None:
        super().__init__(text, data)
        self.data = data
        """The same for programs."""

    def __str__(self) -> str:
        return self.args[0].strip()


class Reply:
    """The answer to a command: printed, what the prompt shows; `data` is the same for programs."""

    def __init__(self, text: str, data: Any) -> None:
        self.text = text
        self.data = data

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __str__(self) -> str:
        return self.text.rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def _plain(text: str) -> str:
    """A text without the colours of a terminal."""
    while "\x1b[" in text:
        before, after = text.split("\x1b[", 1)
        text = before + after[after.index("m") + 1 :]
    return text


class Live:
    """A run by hand: step, look, change, go back. `table.start()` begins one; methods are the commands of the prompt.

    `live[name]` is a present value, `live[name] = value` sets it. A session belongs to the thread that began it.

    >>> import situ
    >>> with situ.load("scenarios/hoop/table.ron").start(events=True) as live:
    ...     live.run("until contact")
    ...     live["Vy"] = -100
    ...     live.next_event(), live["accelerating"]
    t = 0.868523, step 5: contact, V_neg, braking
      no longer: free_fall
    (True, True)
    """

    def __init__(
        self,
        table: Table,
        *,
        case: str | None = None,
        set: Mapping[str, float | bool | str] | None = None,
        engine: str | None = None,
        clock: Mapping[str, Any] | None = None,
    ) -> None:
        texts = list(table.texts)
        self._live: _situ.Live | None = _situ.Live(texts, table._raw.files(), engine)
        self._thread = threading.get_ident()
        self.execute(f"load {texts[0][0]}")
        if case is not None:
            self.case(case)
        for name, value in _options.clock(clock or {}).items():
            self.execute(f"set {name} = {value}")
        for name, value in (set or {}).items():
            self.set(name, value)

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.quit()

    def _raw(self) -> _situ.Live:
        if self._live is None:
            raise ValueError("the session is over")
        if threading.get_ident() != self._thread:
            raise RuntimeError("a session belongs to the thread that began it; a table and a run may be shared")
        return self._live

    def execute(self, line: str) -> Reply:
        """Does what a line says, as at the prompt.

        Raises `CommandError` if it cannot be done; `TableError` for a rule or a condition with mistakes; `RunError` if
        the run cannot go on; `KeyboardInterrupt` at Ctrl-C, with the state whole.
        """
        text, data, failed = self._raw().execute(line)
        data = json.loads(data)
        if not failed:
            return Reply(text, data.get("result") if isinstance(data, dict) else data)
        if data.get("error") == "reports":
            raise _errors.TableError(_plain(text), json.dumps(data["diagnostics"]))
        if data.get("error") is None:
            raise _errors.RunError(_plain(text), "[]")
        raise CommandError(_plain(text), data)

    def _do(self, command: str, *words: object) -> Reply:
        return self.execute(" ".join([command, *(str(word) for word in words if word not in (None, ""))]))

    # Values.

    @property
    def time(self) -> float:
        """The time at which the session stands."""
        return self._raw().time()[0]

    def __getitem__(self, name: str) -> float | bool:
        """The present value of a quantity, or whether a boolean holds; of an event, whether it fired in the last step."""
        value = self._raw().value(name)
        if value is None:
            # An expression or a condition, or a mistake with what is near.
            try:
                (found,) = self.print(name).data.values()
            except (CommandError, _errors.TableError) as error:
                raise _errors.NameUnknown(str(error)) from None
            return float(found) if isinstance(found, str) else found
        found = json.loads(value)
        return float(found) if isinstance(found, str) else found

    def __setitem__(self, name: str, value: float | bool | str) -> None:
        self.set(name, value)

    def set(self, name: str, value: float | bool | str) -> Reply:
        if isinstance(value, str):
            text = value
        elif isinstance(value, bool) or type(value).__name__ == "bool":
            text = "true" if value else "false"
        else:
            text = _situ.number(float(value))
        known = {row[0] for row in _situ.settings()}
        return self.execute(f"set {name if name in known else _situ.name(name)} = {text}")

    # Forward.

    def next_event(self) -> bool:
        """Runs to the next event: until a range, situation or switch changes, or an event fires; `False` at the stop."""
        before, stop = self._raw().time()
        if stop is not None and before >= stop:
            return False
        self.next()
        after, stop = self._raw().time()
        return stop is None or after < stop

    def step(self, n: int = 1) -> Reply:
        return self._do("step", n)

    def next(self, n: int = 1) -> Reply:
        return self._do("next", n)

    def run(self, where: str = "") -> Reply:
        return self._do("run", where)

    def finish(self) -> Reply:
        return self._do("finish")

    def rerun(self, values: str = "") -> Reply:
        return self._do("rerun", values)

    def reset(self) -> Reply:
        return self._do("reset")

    # Back.

    def back(self, where: int | str = 1) -> Reply:
        return self._do("back", where)

    def goto(self, where: float | str) -> Reply:
        return self._do("goto", where)

    def mark(self, name: str) -> Reply:
        return self._do("mark", name)

    def marks(self) -> Reply:
        return self._do("marks")

    # Stops.

    def break_(self, on: str) -> Reply:
        return self._do("break", on)

    def watch(self, name: str) -> Reply:
        return self._do("watch", name)

    def stops(self, which: str = "") -> Reply:
        return self._do("stops", which)

    def delete(self, which: int | str) -> Reply:
        return self._do("delete", which)

    # Looking.

    def print(self, what: str) -> Reply:
        return self._do("print", what)

    def display(self, what: str = "") -> Reply:
        return self._do("display", what)

    def state(self) -> Reply:
        return self._do("state")

    def events(self, n: int | None = None) -> Reply:
        return self._do("events", n)

    def tight(self, n: int | None = None) -> Reply:
        return self._do("tight", n)

    def margins(self) -> Reply:
        return self._do("margins")

    def summary(self, *measures: str) -> Reply:
        return self._do("summary", ", ".join(measures))

    def converge(self, runs: int | None = None) -> Reply:
        return self._do("converge", runs)

    # Reasons.

    def why(self, name: str, at: float | None = None) -> Reply:
        return self._do("why", name) if at is None else self._do("why", name, "at", at)

    def blame(self, name: str, since: float | None = None) -> Reply:
        return self._do("blame", name) if since is None else self._do("blame", name, "from", since)

    def trace(self, name: str, all: bool = False) -> Reply:
        return self._do("trace", name, "all" if all else "")

    def expect(self, condition: str) -> Reply:
        return self._do("expect", condition)

    def coverage(self) -> Reply:
        return self._do("coverage")

    # Changes.

    def add(self, rule: str) -> Reply:
        return self._do("add", rule)

    def replace(self, id: str, rule: str) -> Reply:
        return self._do("replace", f"{id}:", rule)

    def drop(self, id: str) -> Reply:
        return self._do("drop", id)

    def move(self, where: str) -> Reply:
        return self._do("move", where)

    def disable(self, id: str) -> Reply:
        return self._do("disable", id)

    def enable(self, id: str) -> Reply:
        return self._do("enable", id)

    def rename(self, old: str, new: str) -> Reply:
        return self._do("rename", f"`{old}`", f"`{new}`")

    def real(self, what: str) -> Reply:
        return self._do("real", what)

    def constant(self, what: str) -> Reply:
        return self._do("constant", what)

    def switch(self, what: str) -> Reply:
        return self._do("switch", what)

    def invariant(self, what: str = "") -> Reply:
        return self._do("invariant", what)

    def title(self, text: str) -> Reply:
        return self._do("title", text)

    # Lines of history.

    def undo(self, n: int = 1) -> Reply:
        return self._do("undo", n)

    def redo(self, n: int = 1) -> Reply:
        return self._do("redo", n)

    def branch(self, name: str = "") -> Reply:
        return self._do("branch", name)

    def checkout(self, name: str) -> Reply:
        return self._do("checkout", name)

    def compare(self, a: str, b: str = "") -> Reply:
        return self._do("compare", a, b)

    # The table.

    def load(self, file: str) -> Reply:
        return self._do("load", file)

    def table(self) -> Reply:
        return self._do("table")

    def rewrite(self, text: str) -> Reply:
        return self._do("rewrite", json.dumps(text))

    def reload(self) -> Reply:
        return self._do("reload")

    def check(self) -> Reply:
        return self._do("check")

    def graph(self, name: str = "") -> Reply:
        return self._do("graph", name)

    def case(self, name: str = "") -> Reply:
        return self._do("case", name)

    def rules(self, pattern: str = "") -> Reply:
        return self._do("rules", pattern)

    def vars(self, pattern: str = "") -> Reply:
        return self._do("vars", pattern)

    def show(self, what: str) -> Reply:
        return self._do("show", what)

    # Pictures and files.

    def knobs(self) -> Reply:
        return self._do("knobs")

    def curves(self, what: str = "") -> Reply:
        return self._do("curves", what)

    def frames(self, n: int | None = None) -> Reply:
        return self._do("frames", None if n is None else f"into {n}")

    def lab(self, what: str = "") -> Reply:
        return self._do("lab", what)

    def plot(self, what: str = "") -> Reply:
        return self._do("plot", what)

    def timeline(self, what: str = "") -> Reply:
        return self._do("timeline", what)

    def export(self, what: str) -> Reply:
        return self._do("export", what)

    def save(self, file: str = "") -> Reply:
        return self._do("save", file)

    def read(self, file: str) -> Reply:
        return self._do("read", file)

    def history(self, n: int | None = None) -> Reply:
        return self._do("history", n)

    def help(self, command: str = "") -> Reply:
        return self._do("help", command)

    def quit(self) -> None:
        self._live = None

    def __repr__(self) -> str:
        return "<situ.Live, over>" if self._live is None else f"<situ.Live at t = {self.time}>"


for _name, _usage, _about, _help in _situ.commands():
    _method = Live.__dict__.get(_name) or Live.__dict__.get(f"{_name}_")
    if _method is not None and _method.__doc__ is None:
        _method.__doc__ = f"{_about}.\n\nAt the prompt: `{_name} {_usage}`".rstrip() + f". {_help}".rstrip() + "\n"
