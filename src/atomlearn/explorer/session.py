"""Learning in the background: steps that give events, stopped and continued at will."""

import threading
from collections.abc import Iterator
from typing import Any, Protocol

from atomlearn.errors import AtomlearnError

MOST_EVENTS = 5000
"""Events that are kept for pages that connect later."""


class Live(Protocol):
    """What can be served: a page, and learning that is watched on it."""

    lock: threading.Lock
    """Held while a step changes what the page shows."""

    def data(self) -> dict[str, Any]:
        """What the page shows now."""
        ...

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Take a file; says what can be chosen of it."""
        ...

    def steps(self, asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Begin to learn what was asked for: one event a step."""
        ...


class Session:
    """Runs the steps of one run at a time in a thread of its own."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.state = "idle"
        self._changed = threading.Condition()
        self._events: list[dict[str, Any]] = []
        self._dropped = 0
        self._run = 0

    def begin(self, asked: dict[str, Any]) -> None:
        """Start a run; one that is under way ends after its present step."""
        steps = self.live.steps(asked)
        with self._changed:
            self._run += 1
            self._set("learning")
            run = self._run
            self._changed.notify_all()
        threading.Thread(target=self._follow, args=(run, steps), daemon=True).start()

    def stop(self) -> None:
        """Pause after the present step."""
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
            first = max(0, after - self._dropped)
            return [
                (self._dropped + i + 1, self._events[i]) for i in range(first, len(self._events))
            ]

    def _follow(self, run: int, steps: Iterator[dict[str, Any]]) -> None:
        ended = "done"
        try:
            while self._may_go_on(run):
                with self.live.lock:
                    event = next(steps, None)
                if event is None:
                    break
                with self._changed:
                    if run != self._run:
                        return
                    self._add({"kind": "step", "run": run, **event})
        except AtomlearnError as error:
            ended = f"failed: {error}"
        with self._changed:
            if run == self._run:
                self._set(ended)

    def _may_go_on(self, run: int) -> bool:
        """Wait while the run is stopped; false if another one has begun."""
        with self._changed:
            self._changed.wait_for(lambda: run != self._run or self.state != "stopped")
            return run == self._run

    def _set(self, state: str) -> None:
        self.state = state
        self._add({"kind": "state", "run": self._run, "state": state})

    def _add(self, event: dict[str, Any]) -> None:
        self._events.append(event)
        if len(self._events) > MOST_EVENTS:
            del self._events[0]
            self._dropped += 1
