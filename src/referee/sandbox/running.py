"""A command that runs beside others."""

from __future__ import annotations

import dataclasses
import socket
import threading

from referee.record.fault import Infrastructure
from referee.sandbox.command import Supervision
from referee.sandbox.protocol import Completed
from referee.sandbox.session import Session


class Running:
    """A spawned command; supervised by a thread of its own so that its output never blocks it."""

    def __init__(
        self, channel: socket.socket, supervision: Supervision, session: Session, id_: int
    ):
        self.channel = channel
        self._session, self._id = session, id_
        self._result: Completed | None = None
        self._fault: Exception | None = None
        self._overdue = False
        self._thread = threading.Thread(target=self._supervise, args=(supervision,), daemon=True)
        self._thread.start()

    def _supervise(self, supervision: Supervision) -> None:
        try:
            self._result = supervision.run()
        except Exception as error:  # told to whoever waits
            self._fault = error

    def wait(self, timeout_s: float | None = None) -> Completed:
        """The end of the command; it is killed, and `ended` is `timeout`, when it takes longer."""
        self._thread.join(timeout_s)
        overdue = self._thread.is_alive()
        if overdue:
            self.kill()
            self._thread.join()
        if self._fault is not None:
            raise self._fault
        if self._result is None:
            raise Infrastructure("sandbox_lost", "a command's supervision ended without a result")
        if overdue and self._result.ended == "signal":
            return dataclasses.replace(self._result, ended="timeout")
        return self._result

    def kill(self) -> None:
        """Kill its process group; what left the group dies with `kill_all` or `stop`."""
        self._session.kill(self._id)
