"""Webhook signatures: `Svc-Signature`, or the three headers of Standard Webhooks.

Pass the body as it arrived, before any parser has touched it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable
from typing import Any, Protocol

from ._errors import SignatureError

__all__ = ["SignatureError", "construct_event", "sign_payload"]

TOLERANCE_SECONDS = 300
READ_HEADERS = ("svc-signature", "webhook-id", "webhook-timestamp", "webhook-signature")


class HeaderItems(Protocol):
    """All headers, as a dict, http.server, Flask and Django have them."""

    def items(self) -> Iterable[tuple[str, object]]: ...


#: A header that is not there is how a request without a signature arrives.
Headers = str | HeaderItems | None
RawBody = str | bytes | bytearray | memoryview


def construct_event(
    payload: RawBody,
    header: Headers,
    secret: str,
    *,
    now: float | None = None,
) -> dict[str, Any]:
    """The event of a delivery. `header` is the value of `Svc-Signature`, or all headers.

    Raises SignatureError unless it was signed with the secret within 300 seconds.
    """
    body = _bytes_of(payload)
    _check(body, header, secret, time.time() if now is None else now)
    event: dict[str, Any] = json.loads(body)
    return event


def sign_payload(payload: RawBody, secret: str, *, now: float | None = None) -> str:
    """A value of `Svc-Signature`, for tests of a receiver."""
    body = _bytes_of(payload)
    seconds = int(time.time() if now is None else now)
    return f"t={seconds},v1={_digest(secret.encode(), f'{seconds}.', body).hex()}"


def _bytes_of(payload: RawBody) -> bytes:
    if isinstance(payload, str):
        return payload.encode()
    if not isinstance(payload, (bytes, bytearray, memoryview)):
        raise TypeError("`payload` takes the raw body, before any parser has touched it.")
    return bytes(payload)


def _headers_of(header: Headers) -> dict[str, str]:
    """Those that are read, by lower-case name; the others may have values of any type."""
    if header is None or isinstance(header, str):
        return {"svc-signature": header or ""}
    if not hasattr(header, "items"):
        raise TypeError("`header` takes the value of Svc-Signature, or a mapping of all headers.")
    named = ((name.lower(), value) for name, value in header.items() if isinstance(name, str))
    return {
        name: _text_of(value)
        for name, value in named
        if name in READ_HEADERS and value is not None
    }


def _text_of(value: Any) -> str:
    """Of several values, the first."""
    if isinstance(value, str):
        return value
    return value.decode("latin-1") if isinstance(value, bytes) else _text_of(next(iter(value), ""))


def _check(body: bytes, header: Headers, secret: str, now: float) -> None:
    if not isinstance(secret, str):
        raise TypeError("`secret` is missing: pass the secret of the endpoint.")
    headers = _headers_of(header)
    own = headers.get("svc-signature")
    is_own = own is not None or "webhook-id" not in headers
    if is_own:
        entries = [entry.partition("=") for entry in (own or "").split(",")]
        timestamp = next((value for name, _, value in entries if name == "t"), "")
        signatures = [value for name, _, value in entries if name == "v1"]
    else:
        timestamp = headers.get("webhook-timestamp", "")
        given = headers.get("webhook-signature", "").split(" ")
        signatures = [one.removeprefix("v1,") for one in given if one.startswith("v1,")]
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        raise SignatureError("There is no signature: pass the header Svc-Signature.")
    age = now - int(timestamp)
    if abs(age) > TOLERANCE_SECONDS:
        word = "ago" if age > 0 else "ahead"
        raise SignatureError(f"Signed {abs(age):.0f} s {word}; {TOLERANCE_SECONDS} are allowed.")
    if is_own:
        expected = _digest(secret.encode(), f"{timestamp}.", body).hex()
    else:
        prefix = f"{headers['webhook-id']}.{timestamp}."
        expected = base64.b64encode(_digest(_decoded(secret), prefix, body)).decode()
    if not any(hmac.compare_digest(expected.encode(), _encoded(one)) for one in signatures):
        raise SignatureError("The signature does not match: check the secret and use the raw body.")


def _digest(key: bytes, prefix: str, body: bytes) -> bytes:
    # Everybody can sign with a secret that is empty, such as a setting that is missing.
    if not key:
        raise TypeError("`secret` is empty: pass the secret of the endpoint.")
    return hmac.new(key, _encoded(prefix) + body, hashlib.sha256).digest()


def _encoded(text: str) -> bytes:
    """Any text, as servers keep bytes that are no UTF-8 as surrogates (PEP 383)."""
    return text.encode("utf-8", "surrogatepass")


def _decoded(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise SignatureError("The secret is not one of Standard Webhooks.") from error
