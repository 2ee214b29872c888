"""Which attempts are repeated, and when."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Mapping

#: A longer Retry-After is the caller's to wait for: the error carries it.
RETRY_AFTER_MAX_SECONDS = 60
FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 8

_random = random.SystemRandom()


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """What the service asks for; None if it asks for nothing."""
    value = headers.get("retry-after")
    if value is None:
        return None
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def jitter_seconds(failures: int) -> float:
    """Full jitter: any time up to a bound that doubles with each attempt."""
    bound = min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** min(failures, 10))
    return _random.uniform(0, bound)


def retry_delay_seconds(headers: Mapping[str, str], failures: int) -> float | None:
    """How long to wait before the same request again; None = do not send it again."""
    if headers.get("svc-should-retry") != "true":
        return None
    asked = retry_after_seconds(headers)
    if asked is None:
        return jitter_seconds(failures)
    return None if asked > RETRY_AFTER_MAX_SECONDS else asked
