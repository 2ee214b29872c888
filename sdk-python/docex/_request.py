"""A call as the generated methods describe it, and its URL, headers and body."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from decimal import Decimal
from types import NoneType
from typing import Any, TypedDict, get_type_hints
from urllib.parse import quote


class ReadOptions(TypedDict, total=False):
    #: Seconds that one attempt may take.
    timeout: float
    max_retries: int


class WriteOptions(ReadOptions, total=False):
    #: One per intention. Without it, the call makes one and keeps it over its retries.
    idempotency_key: str
    #: Runs every check and changes nothing.
    dry_run: bool


class ChangeOptions(WriteOptions, total=False):
    #: The revision that you have read: 412 if the document has changed since.
    if_match: int | str


_READ_OPTIONS = frozenset(get_type_hints(ReadOptions))
_WRITE_OPTIONS = frozenset(get_type_hints(ChangeOptions))


@dataclass(frozen=True)
class File:
    """A file to upload."""

    filename: str
    content: bytes
    content_type: str = "application/octet-stream"
    fields: Mapping[str, str] = field(default_factory=dict)
    """The other parts of the form, where the operation has any."""


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None
    file: File | None = None


def segment(value: str | int) -> str:
    """A value in a path. An empty one, or dots, would make it another path."""
    text = "" if value is None else str(value)
    if text in ("", ".", ".."):
        raise TypeError("An id in the path is missing: send the id of the record.")
    return quote(text, safe="")


def target_of(call: Call) -> str:
    """The path with its query."""
    given = {name: value for name, value in (call.query or {}).items() if value is not None}
    query = "&".join(f"{name}={quote(_printed(value), safe='')}" for name, value in given.items())
    return f"{call.path}?{query}" if query else call.path


def _printed(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError("A time needs its time zone: datetime.now(timezone.utc).")
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(_printed(one) for one in value)
    return str(value)


def body_of(call: Call) -> tuple[bytes | None, str | None]:
    """The body and its media type, prepared once for all attempts."""
    if call.file is not None:
        return _multipart(call.file)
    if call.body is None:
        return None, None
    text = json.dumps(call.body, ensure_ascii=False, allow_nan=False, default=_plain)
    return text.encode(), "application/json"


def _plain(value: Any) -> float | str:
    """What programs of accounting keep amounts and days in, as JSON."""
    if isinstance(value, Decimal):
        number = float(value)
        if not value.is_finite() or Decimal(str(number)) != value:
            raise TypeError(f"No JSON number has exactly the value of {value}: round it first.")
        return number
    if isinstance(value, date):
        return _printed(value)
    raise TypeError(f"A body takes no {type(value).__name__}: send a str, int, Decimal or date.")


def _multipart(file: File) -> tuple[bytes, str]:
    if any(character in file.filename + file.content_type for character in "\r\n"):
        raise ValueError("A file name and a content type are one line each.")
    boundary = f"docex-{secrets.token_hex(16)}"
    name = file.filename.replace('"', "%22")
    parts = "".join(
        f'--{boundary}\r\ncontent-disposition: form-data; name="{part}"\r\n\r\n{value}\r\n'
        for part, value in file.fields.items()
    )
    head = (
        f"{parts}--{boundary}\r\n"
        f'content-disposition: form-data; name="file"; filename="{name}"\r\n'
        f"content-type: {file.content_type}\r\n\r\n"
    )
    content = head.encode() + file.content + f"\r\n--{boundary}--\r\n".encode()
    return content, f"multipart/form-data; boundary={boundary}"


def digest_of(url: str, call: Call) -> str:
    """What makes two calls the same write."""
    file = call.file
    parts = [call.method, url, call.body, file and [file.filename, file.content_type]]
    if file and file.fields:
        parts.append(dict(file.fields))
    text = json.dumps(parts, sort_keys=True, default=_plain)
    return hashlib.sha256(f"{text}\n".encode() + (file.content if file else b"")).hexdigest()


def check_header(name: str, value: object) -> None:
    """The error of the library would show a secret."""
    if not all("!" <= character <= "~" for character in str(value)):
        raise TypeError(f"`{name}` takes visible ASCII characters only.")


def check_options(method: str, options: Mapping[str, Any]) -> None:
    """A misspelt filter would widen a list, and a misspelt idempotency_key repeat a write."""
    known = _READ_OPTIONS if method == "GET" else _WRITE_OPTIONS
    for name in options:
        if name not in known:
            raise TypeError(f"There is no filter or option `{name}` here.")
    # What is neither would make the write, or make none, against what was meant.
    if not isinstance(options.get("dry_run"), (bool, NoneType)):
        raise TypeError("`dry_run` takes True or False.")


def check_limits(timeout: object, max_retries: object) -> None:
    if not isinstance(timeout, (int, float)) or not timeout > 0:
        raise TypeError("`timeout` takes seconds, more than 0.")
    if not isinstance(max_retries, int) or max_retries < 0:
        raise TypeError("`max_retries` takes a whole number, 0 or more.")


def headers_of(options: Mapping[str, Any], key: str | None) -> dict[str, str]:
    revision = options.get("if_match")
    check_header("idempotency_key", key)
    check_header("if_match", revision)
    headers = {} if key is None else {"idempotency-key": key}
    if options.get("dry_run"):
        headers["svc-dry-run"] = "true"
    if revision is not None:
        text = str(revision)
        headers["if-match"] = text if text.startswith('"') else f'"{text}"'
    return headers
