"""Learning in the background: runs that tell events, stopped and continued at will."""

import threading
from collections.abc import Callable
from typing import Any, Protocol

from atomlearn.errors import AtomlearnError

MOST_EVENTS = 5000
"""Events that are kept for pages that connect later."""

Tell = Callable[[dict[str, Any] | None], None]
"""Tells an event, or ``None``, and waits while the run is stopped.

An event of the kind ``progress`` is kept only until the next one. Raises :class:`Replaced` once
another run has begun.
"""
Learn = Callable[[Tell], None]
"""Learns, and calls ``tell`` wherever it may wait or be abandoned."""


class Replaced(Exception):
    """Another run has begun, so this one is to end."""


class Live(Protocol):
    """What can be served: a page, and learning that is watched on it."""

    def data(self) -> dict[str, Any]:
        """What the page shows now; its ``title``, if it has one of its own."""
        ...

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Take a file; says what can be chosen of it."""
        ...

    def run(self, asked: dict[str, Any]) -> Learn:
        """What is to be learned; raises an error if it cannot be."""
        ...


class Session:
    """Learns one run at a time in a thread of its own."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.state = "idle"
        self._changed = threading.Condition()
        self._learning = threading.Lock()
        self._events: list[tuple[int, dict[str, Any]]] = []
        self._told = 0
        self._run = 0

    def begin(self, asked: dict[str, Any]) -> None:
        """Start a run; one that is under way ends as soon as it looks up."""
        learn = self.live.run(asked)
        with self._changed:
            self._run += 1
            self._set("learning")
            run = self._run
            self._changed.notify_all()
        threading.Thread(target=self._follow, args=(run, learn), daemon=True).start()

    def stop(self) -> None:
        """Pause as soon as the run looks up."""
        with self._changed:
            if self.state == "learning":
                self._set("stopped")

    def go_on(self) -> None:
        """Continue a run that was stopped."""
        with self._changed:
            if self.state == "stopped":
                self._set("learning")
                self._changed.notify_all()

    def events(self, after: int) -> list[tuple[int, dict[str, Any]]]:
        """The events after a number, each with its own."""
        with self._changed:
            return [one for one in self._events if one[0] > after]

    def _follow(self, run: int, learn: Learn) -> None:
        ended = "failed: an error that was not expected; the terminal shows it"
        try:
            with self._learning:  # the run before this one has ended
                self._tell(run, None)
                learn(lambda event: self._tell(run, event))
            ended = "done"
        except Replaced:
            return
        except (AtomlearnError, ValueError) as error:
            ended = f"failed: {error}"
        finally:
            with self._changed:
                if run == self._run:
                    self._set(ended)

    def _tell(self, run: int, event: dict[str, Any] | None) -> None:
        with self._changed:
            if event is not None and run == self._run:
                self._add({"kind": "step", "run": run, **event})
            self._changed.wait_for(lambda: run != self._run or self.state != "stopped")
            if run != self._run:
                raise Replaced

    def _set(self, state: str) -> None:
        self.state = state
        self._add({"kind": "state", "run": self._run, "state": state})

    def _add(self, event: dict[str, Any]) -> None:
        if self._events and self._events[-1][1]["kind"] == "progress":
            self._events.pop()
        self._told += 1
        self._events.append((self._told, event))
        del self._events[:-MOST_EVENTS]
