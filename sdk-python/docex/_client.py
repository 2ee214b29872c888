"""Sends a call, as often as it may be repeated without a second effect."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeGuard
from urllib.parse import SplitResult, urlsplit

from ._attempt import Request, Response, attempt, attempt_lines, failure_of
from ._errors import ApiError, ConnectionError, DocexError
from ._keys import KeyStore, claims_of, new_key
from ._receipts import Receipts
from ._request import (
    Call,
    body_of,
    check_header,
    check_limits,
    check_options,
    digest_of,
    headers_of,
    target_of,
)
from ._retries import jitter_seconds, retry_delay_seconds
from ._version import VERSION

#: Methods, paths, statuses and times; never bodies or secrets.
log = logging.getLogger("docex")


class Record(dict[str, Any]):
    """The JSON object of a response, which also has the response itself."""

    response: Response


#: JSON, a text in another format, or the bytes of a PDF.
Content = Record | str | bytes


class Client:
    """A configured connection to the service."""

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        max_retries: int = 2,
        timeout: float = 30.0,
        key_store: KeyStore | None = None,
        receipts: Receipts | None = None,
    ) -> None:
        # What is given counts, even if it is empty: the key of the environment may be another's.
        key = (os.environ.get("DOCEX_API_KEY", "") if api_key is None else api_key).strip()
        url = os.environ.get("DOCEX_BASE_URL") if base_url is None else base_url
        if not key:
            raise TypeError("Pass `api_key`, or set DOCEX_API_KEY.")
        if not url:
            raise TypeError("Pass `base_url`, such as https://…, or set DOCEX_BASE_URL.")
        check_header("api_key", key)
        check_limits(timeout, max_retries)
        self._api_key = key
        self._base = _base_of(url)
        self._max_retries = max_retries
        self._timeout = timeout
        self._claims = None if key_store is None else claims_of(key_store)
        self._receipts = receipts

    def json(self, call: Call, options: Mapping[str, Any]) -> Record:
        return _record_of(self.send(call, options))

    def text(self, call: Call, options: Mapping[str, Any]) -> str:
        return self.send(call, options).content.decode()

    def content(self, call: Call, options: Mapping[str, Any]) -> Content:
        response = self.send(call, options)
        media_type = response.headers.get("content-type", "").partition(";")[0]
        if media_type == "application/json":
            return _record_of(response)
        return response.content if media_type == "application/pdf" else response.content.decode()

    def lines(
        self, path: str, headers: Mapping[str, str], silence: float
    ) -> Iterator[str]:
        """The lines of a response without an end, from one attempt."""
        sent = {**self._headers(), **headers}
        return attempt_lines(self._base, Request("GET", path, sent, None), silence)

    def _headers(self) -> dict[str, str]:
        return {
            "accept": "application/json",
            "authorization": f"Bearer {self._api_key}",
            "user-agent": f"docex-python/{VERSION}",
        }

    def send(self, call: Call, options: Mapping[str, Any]) -> Response:
        check_options(call.method, options)
        check_limits(*self._limits(options))
        if self._receipts is None:
            return self._send(call, options)
        known = self._receipts.before(call)
        response = self._send(call, options)
        self._receipts.after(call, response, known)
        return response

    def _limits(self, options: Mapping[str, Any]) -> tuple[float, int]:
        timeout, max_retries = self._timeout, self._max_retries
        return options.get("timeout", timeout), options.get("max_retries", max_retries)

    def _send(self, call: Call, options: Mapping[str, Any]) -> Response:
        key, is_new, release = self._key_for(call, options)
        attempts = 0

        def counted(request: Request, timeout: float) -> Response:
            nonlocal attempts
            attempts += 1
            return attempt(self._base, request, timeout)

        try:
            response = self._send_repeatedly(call, key, options, counted)
        except BaseException as error:
            is_known = _is_final(error) or (is_new and attempts == 0)
            if isinstance(error, DocexError):
                error.idempotency_key = key
                is_first = is_new and attempts == 1
                error.may_have_taken_effect = (
                    call.method != "GET"
                    and not options.get("dry_run")
                    and not is_known
                    and not (is_first and _is_refused(error))
                )
            release(is_known)
            raise
        release(True)
        return response

    def _key_for(
        self, call: Call, options: Mapping[str, Any]
    ) -> tuple[str | None, bool, Callable[[bool], None]]:
        """The key of a write, whether it is new, and what takes whether the outcome is known."""
        if call.method == "GET":
            return None, True, _keep
        given: str | None = options.get("idempotency_key")
        if given is not None:
            return given, True, _keep
        if self._claims is None or options.get("dry_run"):
            return new_key(), True, _keep
        name = digest_of(self._base.geturl() + target_of(call), call)
        key, is_new = self._claims.claim(name)
        return key, is_new, partial(self._claims.release, name, key)

    def _send_repeatedly(
        self,
        call: Call,
        key: str | None,
        options: Mapping[str, Any],
        attempt: Callable[[Request, float], Response],
    ) -> Response:
        body, content_type = body_of(call)
        headers = {
            **self._headers(),
            **({} if content_type is None else {"content-type": content_type}),
            **headers_of(options, key),
        }
        request = Request(call.method, target_of(call), headers, body)
        timeout, max_retries = self._limits(options)
        failures = 0
        while True:
            started = time.monotonic()
            error: ApiError | ConnectionError | None
            delay: float | None
            try:
                response = attempt(request, timeout)
                error = failure_of(response)
                if error is None:
                    _log_attempt(call, str(response.status), started)
                    return response
                # An answer that is not one of the service does not say that it may be repeated.
                delay = retry_delay_seconds(response.headers, failures)
                if isinstance(error, ConnectionError):
                    delay = None
            except ConnectionError as lost:
                error, delay = lost, jitter_seconds(failures)
            _log_attempt(call, type(error).__name__, started)
            if delay is None or failures >= max_retries:
                raise error
            failures += 1
            time.sleep(delay)


def _base_of(url: str) -> SplitResult:
    if "?" in url or "#" in url:
        raise TypeError("`base_url` has no query and no fragment.")
    base = urlsplit(url.rstrip("/"))
    if base.scheme not in ("http", "https"):
        raise TypeError("`base_url` begins with http:// or https://.")
    try:
        has_address = bool(base.hostname) and base.port != 0
    except ValueError:
        has_address = False
    if not has_address:
        raise TypeError("`base_url` names a host, and perhaps a port up to 65535.")
    return base


def _record_of(response: Response) -> Record:
    record = Record(response._json)
    record.response = response
    return record


def _keep(is_known: bool) -> None:
    """No store has the key, so nothing is to be released."""


def _is_refused(error: BaseException) -> TypeGuard[ApiError]:
    return isinstance(error, ApiError) and error.headers.get("svc-should-retry") == "false"


def _is_final(error: BaseException) -> bool:
    """The write had no effect, and never will have one.

    Credentials are checked before the key is looked up, and what is damaged (500) is not read, so
    neither refusal says what an earlier attempt did; an approval lets the write run.
    """
    return (
        _is_refused(error)
        and error.status not in (401, 403, 500)
        and error.details.get("reason") != "approval_required"
    )


def _log_attempt(call: Call, outcome: str, started: float) -> None:
    milliseconds = (time.monotonic() - started) * 1000
    log.debug("%s %s: %s in %d ms", call.method, call.path, outcome, milliseconds)
