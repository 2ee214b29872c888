"""Errors are copied, and sent from one process to another."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import unittest
from concurrent.futures import ProcessPoolExecutor

from docex import ApiError, DocexError, ReceiptError, TimeoutError

from .support import client, control


def read_document(document: str) -> None:
    client().documents.get(document)


class Errors(unittest.TestCase):
    def setUp(self) -> None:
        control("play", [])

    def test_an_error_of_a_worker_process_arrives_whole(self) -> None:
        with self.assertRaises(ApiError) as refused:
            client().documents.issue("doc_x", idempotency_key="issue-doc-x")
        kept = {"event": {"stream": "s", "seq": 2, "hash": "h"}}
        errors: list[DocexError] = [
            refused.exception,
            ReceiptError("doc_x", "older", kept, {"revision": 1}),
            TimeoutError("No complete answer within 1 s."),
        ]
        for error in errors:
            for copied in [pickle.loads(pickle.dumps(error)), copy.copy(error)]:
                self.assertIs(type(copied), type(error))
                self.assertEqual(str(copied), str(error))
                self.assertEqual(vars(copied), vars(error))
        self.assertEqual(errors[0].idempotency_key, "issue-doc-x")

    def test_a_pool_of_processes_goes_on_after_a_refusal(self) -> None:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            with self.assertRaises(ApiError) as refused:
                pool.submit(read_document, "doc_x").result()
            self.assertEqual(refused.exception.status, 404)
            self.assertEqual(pool.submit(str, 1).result(), "1")
