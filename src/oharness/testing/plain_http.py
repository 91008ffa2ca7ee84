"""A throw-away HTTP server on this machine, for answers that the real services never give."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


AnswerTo = Callable[[str, str], Answer | None]
"""The answer to a method and a path; None breaks the connection off."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Where it listens, and the requests that came so far, as method and path."""

    url: str
    asked: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def answering(answer_to: AnswerTo) -> Iterator[Answering]:
    """The server for the time of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            here.asked.append((self.command, self.path))
            answer = answer_to(self.command, self.path)
            if answer is None:
                self.connection.close()
                return
            self.send_response(answer.status)
            for name, value in {"content-length": str(len(answer.body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def do_PUT(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is written."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        here = Answering(f"http://127.0.0.1:{listening.server_address[1]}")
        thread = Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        try:
            yield here
        finally:
            listening.shutdown()
            thread.join()
