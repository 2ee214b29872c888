"""The stream of changes, through outages, for as long as the caller wants."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from ._client import Client, Record
from ._errors import ApiError, ConnectionError
from ._follow import delay_after
from ._retries import jitter_seconds

#: The service sends something at least every 25 seconds.
SILENCE_MAX_SECONDS = 60.0


def follow_stream(client: Client, path: str, last_event_id: str | None) -> Iterator[Record]:
    """Changes as they happen. The stream is opened again when it ends."""
    last = last_event_id
    failures = 0
    while True:
        try:
            for block in _blocks(client, path, last):
                failures = 0
                last = block.get("id", last)
                if "data" in block:
                    yield Record({**json.loads(block["data"]), "last_event_id": last})
            delay = jitter_seconds(failures)
        except (ApiError, ConnectionError) as error:
            delay = delay_after(error, failures)
        failures += 1
        time.sleep(delay)


def _blocks(client: Client, path: str, last: str | None) -> Iterator[dict[str, str]]:
    """The fields of one event after the other."""
    headers = {} if last is None else {"last-event-id": last}
    fields: dict[str, str] = {}
    for line in client.lines(path, headers, SILENCE_MAX_SECONDS):
        name, separator, value = line.partition(": ")
        if line == "":
            yield fields
            fields = {}
        elif separator and name:
            fields[name] = value
