"""The feed of events, without gaps, for as long as the caller wants."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ._attempt import LONGEST_TIMEOUT
from ._client import Client, Record
from ._errors import ApiError, ConnectionError
from ._lists import Rows
from ._retries import jitter_seconds, retry_after_seconds


def follow(
    client: Client,
    after: str | None,
    filters: dict[str, Any],
    interval: float,
    from_oldest: bool,
) -> Iterator[Record]:
    """Events in commit order, through outages."""

    def read(query: dict[str, Any]) -> Rows:
        return Rows(client, "/v1/events", query, {})

    is_filtered = any(value is not None for value in filters.values())
    last = after
    is_from_now = not from_oldest
    failures = 0
    while True:
        try:
            if last is None:
                first = _newest_of(read) if is_from_now else _oldest_of(read)
                if first is not None and not is_from_now and _matches(first, filters):
                    yield first
                # If the feed is empty, all that it has later is new.
                is_from_now = False
                last = None if first is None else first["id"]
            if last is not None:
                start = last
                # Known before the look: where nothing matches, the next one begins after it.
                newest = _newest_of(read) if is_filtered else None
                for event in read({**filters, "after": start, "limit": 100}):
                    yield event
                    last = event["id"]
                if last == start and newest is not None:
                    last = newest["id"]
            failures = 0
            delay = interval
        except (ApiError, ConnectionError) as error:
            delay = delay_after(error, failures)
            failures += 1
        time.sleep(delay)


def _newest_of(read: Callable[[dict[str, Any]], Rows]) -> Record | None:
    return next(iter(read({"limit": 1})), None)


def _oldest_of(read: Callable[[dict[str, Any]], Rows]) -> Record | None:
    """What comes after it is read in commit order, and not kept in memory."""
    oldest = None
    for oldest in read({"limit": 100}):
        pass
    return oldest


def _matches(event: Record, filters: dict[str, Any]) -> bool:
    kinds, document = filters.get("type"), filters.get("document")
    wanted: Sequence[str] = [kinds] if isinstance(kinds, str) else (kinds or [event["type"]])
    return event["type"] in wanted and document in (None, event["data"]["document"]["id"])


def delay_after(error: ApiError | ConnectionError, failures: int) -> float:
    if isinstance(error, ConnectionError):
        return jitter_seconds(failures)
    if error.headers.get("svc-should-retry") != "true":
        raise error
    asked = retry_after_seconds(error.headers)
    return jitter_seconds(failures) if asked is None else min(asked, LONGEST_TIMEOUT)
