"""A relay on loopback that counts what passes through it: connections, HTTP requests and bytes each way."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

_REQUEST_LINE = b" HTTP/1.1\r\n"
_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class Passed:
    """What went through since the start; `requests` is 0 for what is no HTTP. Units: bytes, headers included."""

    connections: int = 0
    requests: int = 0
    bytes_up: int = 0
    bytes_down: int = 0

    def since(self, before: "Passed") -> "Passed":
        return Passed(
            self.connections - before.connections,
            self.requests - before.requests,
            self.bytes_up - before.bytes_up,
            self.bytes_down - before.bytes_down,
        )


class Relay:
    """Passes on to `port` what arrives at a port of its own."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._guard = threading.Lock()
        self._passed = Passed()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        port: int = self._listener.getsockname()[1]
        return port

    @property
    def passed(self) -> Passed:
        with self._guard:
            return self._passed

    def close(self) -> None:
        for each in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                service = socket.create_connection(("127.0.0.1", self._target))
                for each in (caller, service):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self._open.append(each)
                self._count(Passed(connections=1))
                threading.Thread(target=self._carry_up, args=(caller, service), daemon=True).start()
                threading.Thread(target=self._carry_down, args=(service, caller), daemon=True).start()

    def _carry_up(self, caller: socket.socket, service: socket.socket) -> None:
        tail = b""
        for data in _carried(caller, service):
            self._count(Passed(requests=(tail + data).count(_REQUEST_LINE), bytes_up=len(data)))
            tail = (tail + data)[1 - len(_REQUEST_LINE) :]

    def _carry_down(self, service: socket.socket, caller: socket.socket) -> None:
        for data in _carried(service, caller):
            self._count(Passed(bytes_down=len(data)))

    def _count(self, more: Passed) -> None:
        with self._guard:
            self._passed = Passed(
                self._passed.connections + more.connections,
                self._passed.requests + more.requests,
                self._passed.bytes_up + more.bytes_up,
                self._passed.bytes_down + more.bytes_down,
            )


def _carried(source: socket.socket, target: socket.socket) -> Iterator[bytes]:
    """What was read from one side, each part counted before it is passed on; the end is passed on too."""
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK):
            yield data
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
