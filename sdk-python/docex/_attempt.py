"""One HTTP request with its whole response, within its deadline."""

from __future__ import annotations

import builtins
import gzip
import http.client
import io
import json
import ssl
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult

from ._errors import ApiError, ConnectionError, TimeoutError


class Headers(Mapping[str, str]):
    """The headers of a response. As in HTTP, a name is found in any case: `ETag` as `etag`."""

    def __init__(self, message: http.client.HTTPMessage) -> None:
        self._values: dict[str, str] = {name.lower(): value for name, value in message.items()}

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


@dataclass(frozen=True)
class Response:
    status: int
    headers: Headers
    content: bytes

    @property
    def request_id(self) -> str:
        return self.headers.get("request-id", "")

    @property
    def replayed(self) -> bool:
        """The stored response of an earlier attempt of the same write."""
        return self.headers.get("idempotent-replay") == "true"

    @cached_property
    def _json(self) -> Any:
        return json.loads(self.content)


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | None


#: Sockets wait no longer than this.
LONGEST_TIMEOUT = 2_000_000.0


def attempt(base: SplitResult, request: Request, timeout: float) -> Response:
    """Raises ConnectionError or TimeoutError unless a complete answer arrived."""
    timeout = min(timeout, LONGEST_TIMEOUT)
    deadline = time.monotonic() + timeout
    with _sent(base, request, timeout) as connection:
        return _received(connection, deadline)


def attempt_lines(base: SplitResult, request: Request, silence: float) -> Iterator[str]:
    """Raises TimeoutError after so many seconds without a byte."""
    with _sent(base, request, silence) as connection:
        response = connection.getresponse()
        headers = Headers(response.headers)
        if response.status >= 300:
            failure = failure_of(Response(response.status, headers, response.read()))
            assert failure is not None
            raise failure
        while line := response.readline():
            yield line.decode().rstrip("\n")


@contextmanager
def _sent(
    base: SplitResult, request: Request, timeout: float
) -> Iterator[http.client.HTTPConnection]:
    """A connection that awaits the answer."""
    connection = _connection_to(base, timeout)
    connection.response_class = _final_until(time.monotonic() + timeout)
    try:
        connection.request(
            request.method,
            base.path.rstrip("/") + request.target,
            body=request.body,
            headers={**request.headers, "connection": "close"},
        )
        yield connection
    except OSError as error:
        if isinstance(error, (builtins.TimeoutError, ssl.SSLWantReadError)):
            raise TimeoutError(f"No complete answer within {timeout:g} s.") from error
        raise _lost(base, error) from error
    except http.client.HTTPException as error:
        raise _lost(base, error) from error
    finally:
        connection.close()


def _final_until(deadline: float) -> type[http.client.HTTPResponse]:
    """Skips interim responses, such as 103: http.client knows 100 alone (RFC 9110, 15.2)."""

    class FinalResponse(http.client.HTTPResponse):
        def begin(self) -> None:
            super().begin()
            while 101 < self.status < 200:
                if time.monotonic() >= deadline:
                    raise builtins.TimeoutError
                # What it has read already, it reads no more.
                vars(self)["headers"] = None
                super().begin()

    return FinalResponse


def _connection_to(base: SplitResult, timeout: float) -> http.client.HTTPConnection:
    host = base.hostname or ""
    if base.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, base.port, timeout=timeout, context=context)
    return http.client.HTTPConnection(host, base.port, timeout=timeout)


def _received(connection: http.client.HTTPConnection, deadline: float) -> Response:
    _wait_until(connection, deadline)
    response = connection.getresponse()
    # None if it is no number, too.
    length = response.length
    chunks = []
    while chunk := response.read1(65_536):
        chunks.append(chunk)
        _wait_until(connection, deadline)
    content = b"".join(chunks)
    if length is not None and len(content) < length:
        raise ConnectionError(f"The answer ended after {len(content)} of {length} bytes.")
    encoding = response.headers.get("content-encoding", "identity").lower()
    decoded = _decoded(content, encoding, deadline)
    whole = Response(response.status, Headers(response.headers), decoded)
    _check_whole(whole)
    return whole


def _decoded(content: bytes, encoding: str, deadline: float) -> bytes:
    """Nobody was asked to compress the answer, and some proxies do."""
    if encoding == "identity":
        return content
    if encoding != "gzip":
        raise ConnectionError(f"The answer is compressed as {encoding}, which was not asked for.")
    chunks = []
    try:
        with gzip.open(io.BytesIO(content)) as file:
            while time.monotonic() < deadline and (chunk := file.read(1_048_576)):
                chunks.append(chunk)
    except (EOFError, OSError, zlib.error) as error:
        raise ConnectionError("The answer is not complete: its gzip ended early.") from error
    if time.monotonic() >= deadline:
        raise builtins.TimeoutError
    return b"".join(chunks)


def _check_whole(response: Response) -> None:
    """Nothing else tells whether a body without a length has ended early."""
    media_type = response.headers.get("content-type", "application/json")
    # What stands in front of the service may answer what it likes.
    if "svc-api-version" not in response.headers or media_type[:16] != "application/json":
        return
    try:
        response._json
    except ValueError as error:
        raise ConnectionError("The answer is not complete: it is not JSON.") from error


def _wait_until(connection: http.client.HTTPConnection, deadline: float) -> None:
    """The next answer of the socket has what is left of the time for the whole attempt."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise builtins.TimeoutError
    if connection.sock is not None:
        connection.sock.settimeout(left)


def _lost(base: SplitResult, error: Exception) -> ConnectionError:
    return ConnectionError(f"The connection to {base.netloc} failed: {error!r}")


def failure_of(response: Response) -> ApiError | ConnectionError | None:
    """What is wrong with a response; None if nothing is."""
    # Exports are not JSON; only the service names its version.
    if response.status < 300 and "svc-api-version" in response.headers:
        return None
    try:
        error: Any = response._json["error"]
        if isinstance(error["code"], str):
            return ApiError(response.status, error, response.headers)
    except (ValueError, KeyError, TypeError):
        pass  # Something between here and the service answered.
    return ConnectionError(
        f"Not an answer of the service ({response.status}): check base_url, and what stands in "
        "front of it."
    )
