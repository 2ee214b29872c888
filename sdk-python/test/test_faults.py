"""Each intention has exactly one effect, whatever happens on the way (contract 5)."""

from __future__ import annotations

import json
import os
import resource
import tempfile
import threading
import unittest
from contextlib import suppress
from typing import Any
from unittest import mock

from docex import ApiError, ConnectionError, Docex, DocexError, File, FileKeyStore, TimeoutError

from . import support
from .support import BODY, control, fresh_notes

RETRIED = [
    *["hangsBefore", "hangsAfter", "resetsBefore", "resetsAfter", "truncates"],
    *["truncatesSilently", "isEmpty"],
    *["isRateLimited", "isUnavailable", "isInProgress"],
]


def client(**options: Any) -> Docex:
    """It soon gives an answer up, since some of them never come."""
    return support.client(**{"timeout": 1.5, **options})


def play(*faults: str) -> None:
    control("play", faults)


def documents_with(notes: str) -> int:
    """How many documents have this text in their notes, in the database itself."""
    count: int = control("count", notes)
    return count


def keys_sent() -> set[str]:
    requests = control("requests")
    return {one["headers"]["idempotency-key"] for one in requests if one["method"] != "GET"}


class OneEffectAndOneKey(unittest.TestCase):
    def test_whatever_happens_to_the_first_attempts(self) -> None:
        for first in RETRIED:
            for second in ["none", "resetsAfter"]:
                with self.subTest(first=first, second=second):
                    notes = fresh_notes()
                    play(first, second)
                    made = client(max_retries=5).documents.create({**BODY, "notes": notes})
                    self.assertEqual(made["notes"], notes)
                    self.assertEqual(documents_with(notes), 1)
                    self.assertEqual(len(keys_sent()), 1)

    def test_an_upload_too(self) -> None:
        document = client().documents.create(BODY)
        play("resetsAfter", "truncates")
        file = File("order.txt", b"Twelve shelves", "text/plain")
        attached = client(max_retries=5).attachments.create(document["id"], file)
        self.assertEqual(attached["size"], 14)
        self.assertEqual(len(client().attachments.list(document["id"]).to_list()), 1)

    def test_two_equal_calls_are_two_intentions(self) -> None:
        notes = fresh_notes()
        play()
        for _ in range(2):
            client().documents.create({**BODY, "notes": notes})
        self.assertEqual(documents_with(notes), 2)

    def test_a_replay_says_so(self) -> None:
        play("resetsAfter")
        made = client(max_retries=5).documents.create({**BODY, "notes": fresh_notes()})
        self.assertTrue(made.response.replayed)
        self.assertEqual(made.response.status, 201)
        self.assertRegex(made.response.request_id, "^req_")


class WholeFiles(unittest.TestCase):
    def test_a_file_whose_end_is_missing_is_asked_for_again(self) -> None:
        client().documents.create(BODY)
        play()
        whole = client().documents.csv()
        for fault in ["truncates", "truncatesCompressed", "truncatesGzip"]:
            with self.subTest(fault=fault):
                play(fault)
                self.assertEqual(client().documents.csv(), whole)
                self.assertEqual(len(control("requests")), 2)


class NothingElseIsRepeated(unittest.TestCase):
    def test_a_refusal_that_may_not_succeed_later(self) -> None:
        play()
        with self.assertRaises(ApiError) as caught:
            client().documents.issue("doc_00000000000000000000000000")
        error = caught.exception
        self.assertEqual((error.code, error.status), ("not_found", 404))
        self.assertEqual(error.details["resource"], "document")
        self.assertTrue(error.docs_url.endswith("#errors-not_found"))
        self.assertEqual(len(control("requests")), 1)

    def test_an_answer_that_is_not_one_of_the_service(self) -> None:
        play("isNotJson")
        with self.assertRaises(ConnectionError):
            client().me.get()
        self.assertEqual(len(control("requests")), 1)

    def test_an_attempt_beyond_max_retries_and_the_error_has_the_key(self) -> None:
        notes = fresh_notes()
        play("hangsAfter")
        with self.assertRaises(TimeoutError) as caught:
            client(max_retries=0).documents.create({**BODY, "notes": notes})
        key = caught.exception.idempotency_key
        assert key is not None
        client(max_retries=5).documents.create({**BODY, "notes": notes}, idempotency_key=key)
        self.assertEqual(documents_with(notes), 1)

    def test_a_call_that_would_be_repeated_without_end(self) -> None:
        play()
        wrong: list[Any] = [float("nan"), -1, 1.5, float("inf"), None]
        for max_retries in wrong:
            with self.assertRaisesRegex(TypeError, "`max_retries` takes"):
                client(max_retries=max_retries)
            with self.assertRaisesRegex(TypeError, "`max_retries` takes"):
                client().me.get(max_retries=max_retries)
        self.assertEqual(control("requests"), [])

    def test_a_write_of_which_it_is_not_clear_whether_it_is_a_dry_run(self) -> None:
        play()
        wrong: list[Any] = ["", "false", 0, 1]
        for dry_run in wrong:
            with self.assertRaisesRegex(TypeError, "`dry_run` takes True or False"):
                client().documents.create(BODY, dry_run=dry_run)
        self.assertEqual(control("requests"), [])

    def test_a_call_has_all_the_time_there_is_or_at_least_some(self) -> None:
        play()
        client(timeout=float("inf")).me.get()
        wrong: list[Any] = [0, -1, float("nan"), None]
        for timeout in wrong:
            with self.assertRaisesRegex(TypeError, "`timeout` takes"):
                client(timeout=timeout)
            with self.assertRaisesRegex(TypeError, "`timeout` takes"):
                client().me.get(timeout=timeout)
        self.assertEqual(len(control("requests")), 1)


class WhenARequestIsSentAgain(unittest.TestCase):
    def waits(self, *faults: str) -> list[float]:
        """How long the client would have slept before each further request."""
        play(*faults)
        with mock.patch("time.sleep") as sleep:
            client(max_retries=len(faults)).me.get()
        return [call.args[0] for call in sleep.call_args_list]

    def test_retry_after_is_waited_for(self) -> None:
        self.assertEqual(self.waits("isUnavailableForASecond"), [1.0])

    def test_without_it_any_time_up_to_a_bound_that_doubles(self) -> None:
        shares = []
        for _ in range(4):
            waits = self.waits(*["isUnavailableWithoutTime"] * 6)
            self.assertEqual(len(waits), 6)
            for wait, bound in zip(waits, [0.5, 1, 2, 4, 8, 8]):
                self.assertLessEqual(wait, bound)
                shares.append(wait / bound)
        # Of 24 draws, all in the same half once in eight million runs.
        self.assertLess(min(shares), 0.5)
        self.assertGreater(max(shares), 0.5)

    def test_more_than_a_minute_is_left_to_the_caller(self) -> None:
        play("isUnavailableForLong")
        with self.assertRaises(ApiError) as caught, mock.patch("time.sleep") as sleep:
            client(max_retries=5).me.get()
        sleep.assert_not_called()
        self.assertEqual(caught.exception.headers["retry-after"], "61")
        self.assertEqual(len(control("requests")), 1)


class KeyStores(unittest.TestCase):
    def test_an_intention_survives_a_restart(self) -> None:
        for fault in ["resetsAfter", "isNotJson", "truncatesSilently", "isEmpty"]:
            with self.subTest(fault=fault), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "keys.json")
                notes = fresh_notes()
                before = client(max_retries=0, key_store=FileKeyStore(path))
                play(fault)
                with self.assertRaises(ConnectionError) as caught:
                    before.documents.create({**BODY, "notes": notes})
                with open(path, encoding="utf-8") as file:
                    self.assertIn(caught.exception.idempotency_key, json.load(file).values())
                after = client(max_retries=5, key_store=FileKeyStore(path))
                after.documents.create({**BODY, "notes": notes})
                self.assertEqual(documents_with(notes), 1)
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(file.read(), "{}")

    def test_a_file_that_cannot_be_written_leaves_no_part_of_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = FileKeyStore(os.path.join(folder, "keys.json"))
            store.set("one", "key")
            limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
            try:
                with self.assertRaises(OSError):
                    store.set("two", "key" * 5000)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            self.assertEqual(os.listdir(folder), ["keys.json"])

    def test_a_damaged_file_is_named_and_not_written_over(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "keys.json")
            for damaged in [b'{"one": "', b"", b"\xff"]:
                with open(path, "wb") as file:
                    file.write(damaged)
                store = FileKeyStore(path)
                with self.assertRaises(ValueError) as caught:
                    store.get("one")
                self.assertEqual(str(caught.exception), f"Cannot read {path}")
                with self.assertRaisesRegex(ValueError, "^Cannot read "):
                    store.set("one", "key")
                with open(path, "rb") as file:
                    self.assertEqual(file.read(), damaged)

    def test_equal_writes_at_the_same_time_stay_two(self) -> None:
        notes = fresh_notes()
        play()
        with tempfile.TemporaryDirectory() as folder:
            store = FileKeyStore(os.path.join(folder, "keys.json"))
            docex = client(max_retries=5, timeout=20.0, key_store=store)
            writers = [
                threading.Thread(target=docex.documents.create, args=[{**BODY, "notes": notes}])
                for _ in range(2)
            ]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.join()
        # One that began after the other had ended replays nothing: its entry was gone.
        self.assertEqual(documents_with(notes), 2)

    def test_of_equal_writes_each_whose_answer_was_lost_finds_its_key(self) -> None:
        notes = fresh_notes()
        store = MemoryKeyStore()
        play("none", "resetsAfter", "resetsAfter")

        def create() -> None:
            docex = client(max_retries=0, timeout=20.0, key_store=store)
            with suppress(ConnectionError):
                docex.documents.create({**BODY, "notes": notes})

        writers = [threading.Thread(target=create) for _ in range(3)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        keys = [key for entry in store.entries.values() for key in entry.split()]
        for _ in keys:
            made = client(key_store=store).documents.create({**BODY, "notes": notes})
            self.assertTrue(made.response.replayed)
        self.assertEqual(len(keys), 2)
        self.assertEqual(documents_with(notes), 3)
        self.assertEqual(store.entries, {})

    def test_some_refusals_do_not_say_what_an_earlier_attempt_did(self) -> None:
        for refusal in ["isUnauthorized", "isForbidden", "isDamaged"]:
            with self.subTest(refusal=refusal):
                notes = fresh_notes()
                store = MemoryKeyStore()
                play("resetsAfter", refusal)
                with self.assertRaises(ApiError):
                    client(key_store=store).documents.create({**BODY, "notes": notes})
                made = client(key_store=store).documents.create({**BODY, "notes": notes})
                self.assertTrue(made.response.replayed)
                self.assertEqual(documents_with(notes), 1)

    def test_a_write_that_is_never_sent_leaves_no_entry_and_takes_none(self) -> None:
        store = MemoryKeyStore()
        docex = client(key_store=store, max_retries=0)
        play()
        with self.assertRaises(TypeError):
            docex.documents.update("doc_1", {"notes": "A"}, if_match='"ä"')
        self.assertEqual(store.entries, {})
        change: dict[str, Any] = {"notes": fresh_notes()}
        for if_match in ["1", '"ä"']:
            play("resetsBefore")
            with self.assertRaises((ConnectionError, TypeError)):
                docex.documents.update("doc_1", change, if_match=if_match)
        self.assertEqual(len(store.entries), 1)

    def test_an_error_says_whether_an_attempt_may_have_taken_effect(self) -> None:
        for faults, may in [
            (["isForbidden"], False),
            (["resetsBefore", "isForbidden"], True),
            (["resetsAfter", "isDamaged"], True),
            (["resetsAfter", "resetsAfter", "resetsAfter"], True),
        ]:
            with self.subTest(faults=faults):
                play(*faults)
                with self.assertRaises(DocexError) as failed:
                    client().documents.create({**BODY, "notes": fresh_notes()})
                self.assertEqual(failed.exception.may_have_taken_effect, may)

    def test_a_write_that_waits_for_an_approval_keeps_its_key(self) -> None:
        store = MemoryKeyStore()
        play("needsApproval")
        with self.assertRaises(ApiError) as caught:
            client(key_store=store).documents.create({**BODY, "notes": fresh_notes()})
        self.assertEqual([*store.entries.values()], [caught.exception.idempotency_key])


class MemoryKeyStore:
    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self.entries.get(name)

    def set(self, name: str, key: str | None) -> None:
        self.entries.pop(name, None)
        if key is not None:
            self.entries[name] = key
