"""The export of a document's proof: its exact bytes count, since their digest does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._client import Client
from ._errors import ConnectionError
from ._request import Call


@dataclass(frozen=True)
class Proof:
    #: Keep these bytes as they are: the verifier reads them.
    content: bytes
    #: SHA-256 of the bytes in hex, equal to the one that the service announced.
    digest: str
    bundle: dict[str, Any]


def proof(client: Client, path: str, options: Mapping[str, Any]) -> Proof:
    response = client.send(Call("GET", path), options)
    digest = hashlib.sha256(response.content).hexdigest()
    if response.headers.get("svc-bundle-digest", digest) != digest:
        raise ConnectionError("The proof that arrived is not the one that was sent.")
    return Proof(response.content, digest, json.loads(response.content))
