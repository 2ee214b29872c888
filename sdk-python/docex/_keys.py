"""The Idempotency-Keys of writes whose outcome is not known."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
import threading
from typing import Protocol
from weakref import WeakValueDictionary


def new_key() -> str:
    return f"docex-{secrets.token_hex(16)}"


class KeyStore(Protocol):
    """Keeps keys of one process over a restart: a file, a table, or what can get and set."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, key: str | None) -> None:
        """None removes the entry."""


class FileKeyStore:
    """Keys in one file, which is replaced as a whole. For one process at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()

    def get(self, name: str) -> str | None:
        with self._lock:
            return self._read().get(name)

    def set(self, name: str, key: str | None) -> None:
        with self._lock:
            keys = self._read()
            if key is None:
                keys.pop(name, None)
            else:
                keys[name] = key
            self._write(keys)

    def _read(self) -> dict[str, str]:
        try:
            with open(self._path, encoding="utf-8") as file:
                keys: dict[str, str] = json.load(file)
                return keys
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise ValueError(f"Cannot read {self._path}") from error

    def _write(self, keys: dict[str, str]) -> None:
        folder = os.path.dirname(os.path.abspath(self._path))
        descriptor, temporary = tempfile.mkstemp(dir=folder)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(keys, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._path)
        except BaseException:
            # On a full disk, there is a part of it.
            os.unlink(temporary)
            raise


class Claims:
    """Equal writes that run at the same time are different intentions, with keys of their own."""

    def __init__(self, store: KeyStore) -> None:
        self._store = store
        self._claimed: set[str] = set()
        self._lock = threading.Lock()

    def claim(self, name: str) -> tuple[str, bool]:
        """The key of a write whose outcome is not known, or a new one, and whether it is new."""
        with self._lock:
            keys = self._keys_of(name)
            known = next((one for one in keys if one not in self._claimed), None)
            key = known or new_key()
            if known is None:
                self._store.set(name, " ".join([*keys, key]))
            self._claimed.add(key)
            return key, known is None

    def release(self, name: str, key: str, is_known: bool) -> None:
        with self._lock:
            try:
                if is_known:
                    others = [one for one in self._keys_of(name) if one != key]
                    self._store.set(name, " ".join(others) or None)
            finally:
                self._claimed.discard(key)

    def _keys_of(self, name: str) -> list[str]:
        return (self._store.get(name) or "").split()


#: By the id of their store, which they keep alive.
_shared: WeakValueDictionary[int, Claims] = WeakValueDictionary()
_lock = threading.Lock()


def claims_of(store: KeyStore) -> Claims:
    """All clients with a store take its keys in turn."""
    with _lock:
        claims = _shared.get(id(store)) or Claims(store)
        _shared[id(store)] = claims
        return claims
