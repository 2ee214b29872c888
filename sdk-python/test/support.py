"""The service under test, and the fault server in front of it, both started by the test of Node.js."""

from __future__ import annotations

import json
import os
import platform
import urllib.request
from typing import Any

from docex import Docex

CONTROL = os.environ["DOCEX_TEST_CONTROL"]
CONNECTION = os.environ["DOCEX_TEST_CONNECTION"]

BODY = {
    "connection_id": CONNECTION,
    "document_type": "invoice",
    "line_items": [{"description": "Oak shelf", "quantity": 2, "unit_price": 50, "tax_rate": 0}],
}


def control(name: str, value: object = None) -> Any:
    """Asks the test of Node.js, which has the fault server and the database."""
    content = json.dumps(value).encode()
    with urllib.request.urlopen(f"{CONTROL}/{name}", data=content) as response:
        return json.load(response)


def client(**options: Any) -> Docex:
    # As long as a busy machine may need: only where an answer is held back, it is waited for less.
    settings: dict[str, Any] = {"timeout": 180.0, **options}
    return Docex(**settings)


_serial = 0


def fresh_notes() -> str:
    global _serial
    _serial += 1
    return f"Intention {_serial} of Python {platform.python_version()}."
