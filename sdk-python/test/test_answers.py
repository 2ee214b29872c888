"""Answers that no server of Node.js writes, but some proxies do."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from docex import ConnectionError, Docex, TimeoutError

JSON = b'{"status": "ready"}'


def answer_of(*headers: str, body: bytes = JSON) -> bytes:
    lines = ["HTTP/1.1 200 OK", "Content-Type: application/json", "Svc-Api-Version: 1.0.0"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


@contextmanager
def service(answer: bytes, timeout: float = 5, slow_hints: int = 0) -> Iterator[Docex]:
    """Sends these bytes to the first call, after so many interim answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            accepted, _ = server.accept()
            with accepted:
                accepted.recv(65_536)
                with suppress(OSError):
                    for _ in range(slow_hints):
                        accepted.sendall(b"HTTP/1.1 102 Processing\r\n\r\n")
                        time.sleep(0.1)
                    accepted.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        port = server.getsockname()[1]
        yield Docex("rk_test_x", f"http://127.0.0.1:{port}", timeout=timeout, max_retries=0)
        thread.join()


class OddAnswers(unittest.TestCase):
    def test_interim_answers_are_skipped(self) -> None:
        hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
        for interim in (hints, b"HTTP/1.1 102 Processing\r\n\r\n" * 3, hints * 2):
            with self.subTest(interim), service(
                interim + answer_of(f"Content-Length: {len(JSON)}")
            ) as docex:
                self.assertEqual(docex.me.get()["status"], "ready")

    def test_interim_answers_have_the_time_of_the_attempt(self) -> None:
        whole = answer_of(f"Content-Length: {len(JSON)}")
        with service(whole, timeout=0.5, slow_hints=100) as docex:
            started = time.monotonic()
            with self.assertRaises(TimeoutError):
                docex.me.get()
            self.assertLess(time.monotonic() - started, 8)

    def test_a_length_that_is_no_number_is_no_length(self) -> None:
        with service(answer_of("Content-Length: abc", "Connection: close")) as docex:
            self.assertEqual(docex.me.get()["status"], "ready")
        with service(answer_of(f"Content-Length: {len(JSON) + 1}")) as docex:
            with self.assertRaisesRegex(ConnectionError, "ended after 19 of 20 bytes"):
                docex.me.get()

    def test_a_body_that_grows_without_end_has_the_time_of_the_attempt(self) -> None:
        # Members of one file follow each other, so that it is made at once.
        bomb = gzip.compress(bytes(10_000_000), 1) * 500
        headers = ["Content-Encoding: gzip", f"Content-Length: {len(bomb)}"]
        with service(answer_of(*headers, body=bomb), timeout=0.5) as docex:
            started = time.monotonic()
            with self.assertRaises(TimeoutError):
                docex.me.get()
            self.assertLess(time.monotonic() - started, 10)
