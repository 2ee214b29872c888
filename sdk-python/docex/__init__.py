"""The client of the Document Exchange Service."""

from ._attempt import Response
from ._client import Record
from ._errors import (
    ApiError,
    ConnectionError,
    DocexError,
    ReceiptError,
    SignatureError,
    TimeoutError,
)
from ._keys import FileKeyStore, KeyStore
from ._lists import Page, Rows
from ._proof import Proof
from ._receipts import FileReceiptStore, MemoryReceiptStore, Receipts, ReceiptStore
from ._request import ChangeOptions, File, ReadOptions, WriteOptions
from ._resources import Docex
from ._version import VERSION as __version__

__all__ = [
    "ApiError",
    "ChangeOptions",
    "ConnectionError",
    "Docex",
    "DocexError",
    "File",
    "FileKeyStore",
    "FileReceiptStore",
    "KeyStore",
    "MemoryReceiptStore",
    "Page",
    "Proof",
    "ReadOptions",
    "ReceiptError",
    "ReceiptStore",
    "Receipts",
    "Record",
    "Response",
    "Rows",
    "SignatureError",
    "TimeoutError",
    "WriteOptions",
    "__version__",
]
