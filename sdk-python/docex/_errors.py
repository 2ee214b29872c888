"""The errors that a call can end with. All of them are a DocexError."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class DocexError(Exception):
    """What every error of this package is."""

    #: The Idempotency-Key of the write: send it again to repeat the same intention.
    idempotency_key: str | None = None
    #: Of a write: whether an attempt may have taken effect. Of earlier calls, only a store knows.
    may_have_taken_effect: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pools of processes pickle what a task has raised."""
        return _without_init, (type(self), self.args), self.__dict__


def _without_init(kind: type[DocexError], args: tuple[Any, ...]) -> DocexError:
    """`args` is the message, and `__init__` may take something else."""
    return kind.__new__(kind, *args)


class ApiError(DocexError):
    """The service refused the request. `code` says why, `details` what a program can act on."""

    def __init__(self, status: int, error: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        super().__init__(str(error.get("message", "")))
        self.code: str = error["code"]
        self.message: str = str(error.get("message", ""))
        self.status = status
        self.request_id: str = str(error.get("request_id", ""))
        self.docs_url: str = str(error.get("docs_url", ""))
        self.details: dict[str, Any] = error.get("details") or {}
        self.headers = headers


class ConnectionError(DocexError):
    """No complete answer of the service arrived: whether a write took effect is not known."""


class TimeoutError(ConnectionError):
    """No complete answer arrived within `timeout`."""


class SignatureError(DocexError):
    """A webhook was not signed with the secret, or not within the last 300 seconds."""


class ReceiptError(DocexError):
    """The service shows an older state of a document than before, or another history."""

    def __init__(
        self, document: str, reason: str, kept: Mapping[str, Any], shown: Mapping[str, Any]
    ) -> None:
        what = "an older state" if reason == "older" else "another history"
        super().__init__(f"The service shows {what} of {document} than it has acknowledged.")
        self.document = document
        #: `older` or `other`.
        self.reason = reason
        #: What was acknowledged before; the store still has it.
        self.kept = kept
        #: What contradicts it.
        self.shown = shown
