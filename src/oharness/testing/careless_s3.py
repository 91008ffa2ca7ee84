"""An S3 imitation on loopback that ignores every condition: the kind of store that has to be refused."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class _Careless(BaseHTTPRequestHandler):
    """PUT, GET, HEAD and DELETE of objects; `If-Match` and `If-None-Match` are not looked at."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self._objects()[self.path] = body
        self._answer(200, b"", body)

    def do_GET(self) -> None:
        body = self._objects().get(self.path)
        self._answer(404, b"", b"") if body is None else self._answer(200, body, body)

    def do_HEAD(self) -> None:
        body = self._objects().get(self.path)
        self._answer(404, b"", b"") if body is None else self._answer(200, b"", body, len(body))

    def do_DELETE(self) -> None:
        self._objects().pop(self.path, None)
        self._answer(204, b"", b"")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self._objects().clear()
        self._answer(200, b"<DeleteResult></DeleteResult>", b"")

    def _objects(self) -> dict[str, bytes]:
        objects: dict[str, bytes] = self.server.objects  # type: ignore[attr-defined]
        return objects

    def _answer(self, status: int, body: bytes, tagged: bytes, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body) if length is None else length))
        self.send_header("etag", f'"{hashlib.md5(tagged).hexdigest()}"')
        self.send_header("last-modified", "Thu, 10 Sep 2026 00:26:40 GMT")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@contextlib.contextmanager
def running_careless_s3() -> Iterator[dict[str, str]]:
    """The variables that lead a service to it, for the length of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Careless)
    server.daemon_threads = True
    server.objects = {}  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield {
            "AWS_ACCESS_KEY_ID": "k",
            "AWS_SECRET_ACCESS_KEY": "s",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_address[1]}",
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
