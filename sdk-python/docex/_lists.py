"""Lists: one page, page by page, or row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

from ._client import Client, Record
from ._request import Call


@dataclass(frozen=True)
class Page:
    data: list[Record]
    has_more: bool
    next_cursor: str | None


class Rows:
    """Iterated, every row of all pages."""

    def __init__(
        self, client: Client, path: str, query: Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        self._client = client
        self._path = path
        self._query = query
        self._options = options

    def page(self, cursor: str | None = None) -> Page:
        """The first page, or the one at a `next_cursor`."""
        query = {**self._query, "cursor": cursor}
        body = self._client.json(Call("GET", self._path, query=query), self._options)
        rows = [Record(row) for row in body["data"]]
        for row in rows:
            row.response = body.response
        return Page(rows, body["has_more"], body["next_cursor"])

    def pages(self) -> Iterator[Page]:
        page = self.page()
        yield page
        while page.next_cursor is not None:
            page = self.page(page.next_cursor)
            yield page

    def __iter__(self) -> Iterator[Record]:
        for page in self.pages():
            yield from page.data

    def to_list(self, limit: int = 10_000) -> list[Record]:
        """The first rows, at most `limit`."""
        return list(islice(self, limit))


def changes(
    client: Client,
    path: str,
    since: str | date | None,
    filters: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Iterator[Record]:
    """Rows in the order of their changes: what changes during the sweep comes again at its end."""
    given = {name: value for name, value in filters.items() if value is not None}
    query = {"limit": 100, **given, "sort": "updated", "updated_since": since}
    yield from Rows(client, path, query, options)
