"""What the service has acknowledged, kept by its caller.

An answer or an event that shows less, or something else, is an error. So whoever keeps receipts is
a witness of every history.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._attempt import Response
from ._errors import ReceiptError
from ._keys import FileKeyStore
from ._request import Call

#: Of one document, as JSON: `event` is the newest event of the history that an answer has
#: acknowledged (`Svc-Event`), `revision` the highest that was read, `told` the newest event that
#: the feed or a webhook has told.
Kept = dict[str, Any]


class ReceiptStore(Protocol):
    """By document: a dict with `put`, a file, or a table."""

    def get(self, document: str) -> Kept | None: ...

    def put(self, document: str, kept: Kept) -> None: ...


class MemoryReceiptStore:
    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}

    def get(self, document: str) -> Kept | None:
        return self._kept.get(document)

    def put(self, document: str, kept: Kept) -> None:
        self._kept[document] = kept


class FileReceiptStore:
    """Receipts in one file, which is replaced as a whole. For one process at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = FileKeyStore(path)

    def get(self, document: str) -> Kept | None:
        text = self._file.get(document)
        return None if text is None else json.loads(text)

    def put(self, document: str, kept: Kept) -> None:
        self._file.set(document, json.dumps(kept))


@dataclass(frozen=True)
class _Shown:
    document: str
    news: Kept
    #: Whether the answer names the document; otherwise the path does, which may be its source.
    is_named: bool = False
    is_replay: bool = False
    #: The hashes of its events by seq, of a whole history or of one event.
    hashes: Mapping[int, str] = field(default_factory=dict)
    is_whole: bool = False


class Receipts:
    """Compares every answer of a client with what was acknowledged before.

    Raises ReceiptError, or calls `on_contradiction`; the call then returns as usual.
    """

    def __init__(
        self,
        store: ReceiptStore,
        *,
        on_contradiction: Callable[[ReceiptError], object] | None = None,
    ) -> None:
        self._store = store
        self._on_contradiction = on_contradiction
        self._lock = threading.RLock()

    def before(self, call: Call) -> Kept:
        """What is known before a call is sent: its answer must not be older."""
        path = _DOCUMENT_PATH.fullmatch(call.path)
        with self._lock:
            return (path and self._store.get(path[1])) or {}

    def after(self, call: Call, response: Response, known: Kept) -> None:
        path = _DOCUMENT_PATH.fullmatch(call.path)
        for shown in _shown_by(call, response):
            is_asked = path is not None and path[1] == shown.document
            self._compare(shown, known if is_asked else {})

    def event(self, event: Mapping[str, Any]) -> None:
        """Compares and keeps an event of a webhook. The client compares those of the feed."""
        for shown in _told_by(event):
            self._compare(shown, {})

    def _compare(self, shown: _Shown, known: Kept) -> None:
        with self._lock:
            kept = self._store.get(shown.document) or {}
            event = shown.news.get("event")
            if event and not shown.is_named and event["stream"] != _stream_of(kept):
                return
            reason = _contradiction_of(shown, kept, known)
            if reason is None:
                newest = _newest_of(kept, shown)
                if newest != kept:
                    self._store.put(shown.document, newest)
                return
        error = ReceiptError(shown.document, reason, kept, _newest_of({}, shown))
        if self._on_contradiction is None:
            raise error
        self._on_contradiction(error)


_DOCUMENT_PATH = re.compile(r"/v1/documents/(doc_[0-9a-z]+)(/.*)?")


def _stream_of(kept: Kept) -> str | None:
    stream: str | None = kept["event"]["stream"] if "event" in kept else None
    return stream


def _contradiction_of(shown: _Shown, kept: Kept, known: Kept) -> str | None:
    """`older`, `other`, or None.

    An answer may cross another one on its way, so only what was kept before its call was sent must
    not be newer. Two things at one place are always the same.
    """
    news = shown.news
    before = known["event"]["seq"] if "event" in known else 0
    if "event" in kept:
        event, own = news.get("event"), kept["event"]
        if event is not None:
            if event["stream"] != own["stream"]:
                return "other"
            if event["seq"] == own["seq"] and event["hash"] != own["hash"]:
                return "other"
            if not shown.is_replay and event["seq"] < before:
                return "older"
        if shown.hashes.get(own["seq"], own["hash"]) != own["hash"]:
            return "other"
        if shown.is_whole and before > 0 and before not in shown.hashes:
            return "older"
    if not shown.is_replay and "revision" in news and news["revision"] < known.get("revision", 0):
        return "older"
    if "told" in news and "told" in kept and not _agree(news["told"], kept["told"]):
        return "other"
    return None


def _agree(one: Kept, other: Kept) -> bool:
    """Deliveries arrive in any order, but their numbers, revisions and times rise together."""
    first, second = (one, other) if one["sequence"] < other["sequence"] else (other, one)
    if first["sequence"] == second["sequence"]:
        return bool(first["id"] == second["id"])
    return bool(
        first["revision"] <= second["revision"] and first["created_at"] <= second["created_at"]
    )


def _newest_of(kept: Kept, shown: _Shown) -> Kept:
    newest, news = dict(kept), shown.news
    if "event" in news and news["event"]["seq"] > kept.get("event", {"seq": 0})["seq"]:
        newest["event"] = news["event"]
    if not shown.is_replay and news.get("revision", 0) > kept.get("revision", 0):
        newest["revision"] = news["revision"]
    if "told" in news and news["told"]["sequence"] > kept.get("told", {"sequence": 0})["sequence"]:
        newest["told"] = news["told"]
    return newest


def _shown_by(call: Call, response: Response) -> list[_Shown]:
    path = _DOCUMENT_PATH.fullmatch(call.path)
    line = response.headers.get("svc-event")
    is_read = call.method == "GET" and (path is not None or call.path == "/v1/events")
    if line is None and not is_read:
        return []
    is_json = response.headers.get("content-type", "").startswith("application/json")
    body: dict[str, Any] = json.loads(response.content) if is_json else {}
    if line is not None:
        return _acknowledged_by(line, body, path[1] if path else None, response.replayed)
    if call.path == "/v1/events":
        return [shown for event in body.get("data", []) for shown in _told_by(event)]
    assert path is not None
    document, rest = path[1], path[2] or ""
    if rest == "" and "revision" in body:
        return [_Shown(document, {"revision": body["revision"]})]
    if rest == "/history":
        hashes = {entry["seq"]: entry["hash"] for entry in body.get("entries", [])}
        return [_Shown(document, {}, hashes=hashes, is_whole=True)]
    is_export = rest == "/export" and "events" in body
    found = [event["header"] for event in body["events"]] if is_export else [body.get("header")]
    hashes = {header["seq"]: _hash_of(header) for header in found if header}
    return [_Shown(document, {}, hashes=hashes, is_whole=is_export)]


def _acknowledged_by(
    line: str, body: Mapping[str, Any], in_path: str | None, is_replay: bool
) -> list[_Shown]:
    is_document = str(body.get("id", "")).startswith("doc_")
    named: str | None = body["id"] if is_document else body.get("document_id")
    document = named or in_path
    if document is None:
        return []
    stream, seq, digest = line.split(" ")
    news: Kept = {"event": {"stream": stream, "seq": int(seq), "hash": digest}}
    if is_document and "revision" in body:
        news["revision"] = body["revision"]
    return [_Shown(document, news, is_named=named is not None, is_replay=is_replay)]


def _hash_of(header: Mapping[str, Any]) -> str:
    """The hash of an event is that of its leaf in the log. A header arrives in canonical form."""
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(b"\0" + text.encode()).hexdigest()


def _told_by(event: Mapping[str, Any]) -> list[_Shown]:
    document = event.get("data", {}).get("document") or {}
    if "id" not in document or "revision" not in document or "sequence" not in event:
        return []
    told = {name: event[name] for name in ["id", "sequence", "created_at"]}
    return [_Shown(document["id"], {"told": {**told, "revision": document["revision"]}})]
