"""Provenance 8: clients are witnesses, so a document that was put back is noticed."""

from __future__ import annotations

import os
import tempfile
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from docex import Docex, FileReceiptStore, MemoryReceiptStore, ReceiptError, Receipts, ReceiptStore

from .support import BODY, control

DIRECT = os.environ["DOCEX_TEST_DIRECT_URL"]


def client(receipts: Receipts | None = None) -> Docex:
    return Docex(base_url=DIRECT, max_retries=0, receipts=receipts)


def unissued_invoice(store: ReceiptStore) -> tuple[str, Docex, dict[str, Any]]:
    """A draft that was issued, while its caller watched, and is a draft again."""
    docex = client(Receipts(store))
    document: str = docex.documents.create(BODY)["id"]
    control("keepRows", document)
    docex.documents.issue(document)
    event = docex.events.list(document=document, limit=1).page().data[0]
    control("putRowsBack", document)
    return document, docex, event


class Contradictions(unittest.TestCase):
    def assert_raises(self, document: str, reason: str, call: Any, *given: Any) -> None:
        with self.assertRaises(ReceiptError) as raised:
            call(*given)
        self.assertEqual((raised.exception.document, raised.exception.reason), (document, reason))

    def test_reads_of_a_document_that_was_put_back(self) -> None:
        document, docex, _ = unissued_invoice(MemoryReceiptStore())
        self.assertEqual(client().documents.get(document)["status"], "draft")
        self.assert_raises(document, "older", docex.documents.get, document)
        self.assert_raises(document, "older", docex.documents.history, document)
        self.assert_raises(document, "older", docex.documents.export, document)

    def test_a_history_that_goes_on_after_it(self) -> None:
        store = MemoryReceiptStore()
        document, docex, event = unissued_invoice(store)
        kept = store.get(document) or {}
        self.assert_raises(document, "other", docex.documents.issue, document)
        self.assertEqual(client().documents.get(document)["status"], "submitted")
        self.assert_raises(document, "other", docex.documents.history, document)
        self.assert_raises(document, "other", docex.documents.export, document)
        seq = kept["event"]["seq"]
        self.assert_raises(document, "other", docex.documents.receipt, document, seq)
        self.assert_raises(document, "other", docex.events.list(document=document).page)
        told = client().events.list(document=document, limit=1).page().data[0]
        self.assertEqual(told["sequence"], event["sequence"])
        receipts = Receipts(store)
        self.assert_raises(document, "other", receipts.event, told)
        receipts.event(event)
        self.assertEqual(store.get(document), kept)

    def test_a_write_to_a_shorter_history(self) -> None:
        docex = client(Receipts(MemoryReceiptStore()))
        document: str = docex.documents.create(BODY)["id"]
        control("keepRows", document)
        docex.documents.issue(document)
        docex.documents.transition(document, {"to": "cancelled"})
        control("putRowsBack", document)
        self.assert_raises(document, "older", docex.documents.issue, document)

    def test_a_hook_and_a_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "receipts.json")
            document, _, _ = unissued_invoice(FileReceiptStore(path))
            seen: list[ReceiptError] = []
            docex = client(Receipts(FileReceiptStore(path), on_contradiction=seen.append))
            self.assertEqual(docex.documents.get(document)["status"], "draft")
            self.assertEqual([(one.document, one.reason) for one in seen], [(document, "older")])
            self.assertEqual(seen[0].kept["event"]["seq"], 2)


class HonestAnswers(unittest.TestCase):
    def test_none_is_a_contradiction(self) -> None:
        store = MemoryReceiptStore()
        receipts = Receipts(store)
        docex = client(receipts)
        document: str = docex.documents.create(BODY)["id"]
        key = str(uuid.uuid4())
        docex.documents.update(document, {"notes": "First"}, idempotency_key=key)

        def edit_and_read(notes: str) -> None:
            docex.documents.update(document, {"notes": notes})
            docex.documents.get(document)
            docex.documents.history(document)

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(edit_and_read, [f"Note {i}" for i in range(8)]))
        again = docex.documents.update(document, {"notes": "First"}, idempotency_key=key)
        self.assertTrue(again.response.replayed)
        docex.documents.issue(document, dry_run=True)
        issued = docex.documents.issue(document)
        docex.documents.get(document)
        docex.documents.export(document)
        docex.documents.receipt(document, 2)
        events = docex.events.list(document=document).to_list()
        for event in [*events, *reversed(events)]:
            receipts.event(event)
        kept = store.get(document) or {}
        self.assertEqual(set(kept), {"event", "revision", "told"})
        self.assertEqual(kept["revision"], issued["revision"])
        self.assertEqual(kept["told"]["id"], events[0]["id"])
