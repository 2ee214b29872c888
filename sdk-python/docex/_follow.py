"""The feed of events, without gaps, for as long as the caller wants."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
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
) -> Iterator[Record]:
    """Events in commit order, through outages."""

    def read(query: dict[str, Any]) -> Rows:
        return Rows(client, "/v1/events", query, {})

    last = after
    is_started = after is not None
    failures = 0
    while True:
        try:
            if last is not None:
                for event in read({**filters, "after": last, "limit": 100}):
                    yield event
                    last = event["id"]
            elif is_started:
                # The feed was empty when it was first read, so all that it has now is new.
                newest = list(read({"limit": 100}))
                for event in reversed(newest):
                    if _matches(event, filters):
                        yield event
                    last = event["id"]
            else:
                first = read({"limit": 1}).page().data
                last = first[0]["id"] if first else None
                is_started = True
            failures = 0
            delay = interval
        except (ApiError, ConnectionError) as error:
            delay = delay_after(error, failures)
            failures += 1
        time.sleep(delay)


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
