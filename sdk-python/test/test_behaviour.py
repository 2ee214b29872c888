"""Lists, the feed, sweeps, proofs and signatures, against the service."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import unittest
from collections.abc import Callable
from datetime import date, datetime, timezone
from decimal import Decimal
from email.message import Message
from itertools import islice
from typing import Any

from docex import ApiError, Docex, SignatureError
from docex.webhooks import construct_event, sign_payload

from .support import BODY, client, control, fresh_notes


class Lists(unittest.TestCase):
    def setUp(self) -> None:
        control("play", [])

    def test_rows_of_all_pages(self) -> None:
        made = [client().documents.create(BODY)["id"] for _ in range(3)]
        rows = client().documents.list(limit=1, type=["invoice", "quote"])
        first = rows.page()
        self.assertEqual((len(first.data), first.has_more), (1, True))
        self.assertEqual([row["id"] for row in islice(rows, 3)], made[::-1])
        self.assertEqual(len(rows.to_list(limit=2)), 2)

    def test_changes_come_once_each(self) -> None:
        since = client().documents.create(BODY)["updated_at"]
        changed = client().documents.create(BODY)
        client().documents.update(changed["id"], {"notes": "Changed."}, if_match=1)
        ids = [row["id"] for row in client().documents.changes(since)]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(ids[-1], changed["id"])
        later = client().documents.changes(datetime.now(timezone.utc).replace(year=2999))
        self.assertEqual(list(later), [])

    def test_the_feed_resumes_at_a_position(self) -> None:
        document = client().documents.create(BODY)
        last = client().events.list(limit=1).page().data
        after = last[0]["id"] if last else None
        client().documents.issue(document["id"])
        feed = client().events.follow(after, document=document["id"], interval=0.05)
        control("play", ["resetsBefore"])
        event = next(feed)
        self.assertEqual(event["data"]["document"]["id"], document["id"])

    def test_the_feed_begins_with_the_oldest_event_for_who_has_none_yet(self) -> None:
        client().documents.create(BODY)
        *_, oldest = client().events.list(limit=100)
        feed = client().events.follow(None, from_oldest=True, interval=0.05)
        self.assertEqual(next(feed)["id"], oldest["id"])
        later = client().events.list(after=oldest["id"]).page().data
        self.assertEqual(next(feed)["id"], later[0]["id"])

    def test_the_stream_names_changes_and_resumes(self) -> None:
        direct = client(base_url=os.environ["DOCEX_TEST_DIRECT_URL"])
        first = direct.documents.create(BODY)
        change = next(one for one in direct.stream("0") if one["id"] in (first["id"], None))
        second = direct.documents.create(BODY)
        changes = direct.stream(change["last_event_id"])
        change = next(one for one in changes if one["id"] == second["id"])
        self.assertEqual(change["object"], "document")
        self.assertGreater(int(change["last_event_id"]), 0)

    def test_the_stream_says_why_it_may_not_be_read(self) -> None:
        with self.assertRaises(ApiError) as caught:
            next(client(api_key="rk_test_nobody").stream())
        self.assertEqual(caught.exception.code, "unauthorized")

    def test_exports_keep_their_format(self) -> None:
        id = client().documents.create(BODY)["id"]
        record = client().documents.render(id, format="json")
        assert isinstance(record, dict)
        self.assertEqual(record["draft"], True)
        self.assertIn(",DRAFT", str(client().documents.render(id, format="csv")).replace(" ", ","))
        pdf = client().documents.render(id, format="pdf")
        assert isinstance(pdf, bytes)
        self.assertEqual(pdf[:5], b"%PDF-")
        self.assertIn(f"\r\n{id},invoice,", client().documents.csv(type="invoice"))

    def test_another_revision_is_refused(self) -> None:
        document = client().documents.create(BODY)
        with self.assertRaises(ApiError) as caught:
            client().documents.update(document["id"], {"notes": "Stale."}, if_match=9)
        self.assertEqual(caught.exception.code, "precondition_failed")

    def test_headers_are_found_in_any_case(self) -> None:
        document = client().documents.create(BODY)
        headers = client().documents.get(document["id"]).response.headers
        self.assertEqual((headers["ETag"], headers.get("etag")), ('"1"', '"1"'))
        self.assertIn("Svc-Api-Version", headers)
        with self.assertRaises(ApiError) as caught:
            client().documents.get("doc_x")
        self.assertEqual(caught.exception.headers.get("Svc-Should-Retry"), "false")

    def test_a_dry_run_changes_nothing(self) -> None:
        notes = fresh_notes()
        client().documents.create({**BODY, "notes": notes}, dry_run=True)
        self.assertEqual(control("count", notes), 0)

    def test_a_proof_is_its_exact_bytes(self) -> None:
        document = client().documents.create(BODY)
        client().documents.issue(document["id"])
        loan = control("loan")
        lender = client(api_key=loan["key"])
        for proof in (
            client().documents.export(document["id"]),
            lender.finance.agreements.export(loan["agreement"]),
        ):
            self.assertEqual(hashlib.sha256(proof.content).hexdigest(), proof.digest)
            self.assertEqual(json.loads(proof.content), proof.bundle)

    def test_the_digest_of_an_offer_is_that_of_its_exact_bytes(self) -> None:
        loan = control("loan")
        offers = client(api_key=loan["key"]).finance.offers
        digest = offers.get(loan["offer"])["standing_authorization"]["digest"]
        authorization = offers.authorization(loan["offer"])
        content = authorization.response.content
        self.assertEqual(f"sha256:{hashlib.sha256(content).hexdigest()}", digest)
        self.assertEqual(json.loads(content), authorization)

    def test_a_body_takes_decimals_and_days(self) -> None:
        amounts = {"quantity": Decimal("3.0"), "unit_price": Decimal("19.99")}
        line: dict[str, Any] = {"description": "Oak shelf", "tax_rate": 0, **amounts}
        body = {**BODY, "line_items": [line], "document_date": date(2026, 11, 2)}
        made = client().documents.create(body)
        self.assertEqual((made["total"], made["document_date"]), (59.97, "2026-11-02"))
        exact = Decimal("0.12345678901234567890123")
        for value in (exact, Decimal("NaN"), {1, 2}, datetime(2026, 11, 2)):
            with self.assertRaises(TypeError):
                client().documents.create({**BODY, "notes": value})
        for number in (float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "not JSON compliant"):
                client().documents.create({**BODY, "line_items": [{**line, "quantity": number}]})

    def test_a_missing_id_is_no_other_path(self) -> None:
        for value in ("", ".", ".."):
            with self.assertRaisesRegex(TypeError, "id in the path"):
                client().documents.get(value)

    def test_settings_that_are_missing_are_named(self) -> None:
        with self.assertRaisesRegex(TypeError, "base_url"):
            Docex("rk_test_x", "localhost:8080")

    def test_an_empty_setting_is_not_taken_from_the_environment(self) -> None:
        with self.assertRaisesRegex(TypeError, "api_key"):
            Docex("")
        with self.assertRaisesRegex(TypeError, "base_url"):
            Docex(base_url="")

    def test_an_address_without_a_host_or_with_an_impossible_port(self) -> None:
        for url in ("http://", "https:///v1", "http://:8080", "http://host:99999", "http://host:x"):
            with self.subTest(url), self.assertRaisesRegex(TypeError, "`base_url` names a host"):
                Docex("rk_test_x", url)

    def test_an_address_with_a_query_or_a_fragment_is_no_base(self) -> None:
        for url in ("http://host/?a", "http://host#a", "https://host/v1?"):
            with self.subTest(url), self.assertRaisesRegex(TypeError, "no query and no fragment"):
                Docex("rk_test_x", url)

    def test_what_no_header_can_carry_is_refused_and_no_secret_shown(self) -> None:
        for key in ("rk_test_abc…", "rk_test_abc\r\nX-Other: 1"):
            with self.assertRaisesRegex(TypeError, "^`api_key` takes visible ASCII"):
                client(api_key=key)
        spaced = client(api_key=f" {os.environ['DOCEX_API_KEY']}\n")
        self.assertIsNone(spaced.me.get()["user"])
        with self.assertRaisesRegex(TypeError, "idempotency_key"):
            client().documents.create(BODY, idempotency_key="rent\r\nX-Other: 1")
        with self.assertRaisesRegex(TypeError, "if_match"):
            client().documents.update("doc_x", {}, if_match="1\n")

    def test_a_misspelt_filter_or_option_is_refused(self) -> None:
        control("play", [])
        documents: Any = client().documents
        calls: list[Callable[[], object]] = [
            lambda: list(documents.list(stauts="approved")),
            lambda: list(documents.changes(limt=5)),
            lambda: documents.get("doc_x", if_match=1),
            lambda: documents.create(BODY, idempotency_keys="rent-2026-11"),
        ]
        for call in calls:
            with self.assertRaisesRegex(TypeError, "^There is no filter or option `"):
                call()
        self.assertEqual(control("requests"), [])


class Signatures(unittest.TestCase):
    def test_the_published_vectors(self) -> None:
        with open(os.environ["DOCEX_TEST_VECTORS"], encoding="utf-8") as file:
            vectors = json.load(file)
        for one in vectors["signed"]:
            body, now = one["raw_body"], one["timestamp"]
            own = [sign_payload(body, secret, now=now) for secret in one["secrets"]]
            others = [header.partition(",")[2] for header in own[1:]]
            self.assertEqual(",".join([own[0], *others]), one["header"])
        for one in vectors["accepted"]:
            construct_event(one["raw_body"], one["header"], one["secret"], now=one["clock"])
        for one in vectors["rejected"]:
            with self.subTest(why=one["why"]), self.assertRaises(SignatureError):
                construct_event(one["raw_body"], one["header"], one["secret"], now=one["clock"])

    def test_the_headers_of_standard_webhooks(self) -> None:
        secret = "whsec_" + base64.b64encode(bytes(32)).decode()
        digest = hmac.new(bytes(32), b"msg_1.1000.{}", hashlib.sha256).digest()
        headers = {
            "Webhook-Id": "msg_1",
            "Webhook-Timestamp": "1000",
            "Webhook-Signature": f"v1,{base64.b64encode(digest).decode()}",
        }
        self.assertEqual(construct_event("{}", headers, secret, now=1000), {})
        with self.assertRaises(SignatureError):
            construct_event("{}", {**headers, "Webhook-Id": "msg_2"}, secret, now=1000)

    def test_what_it_signs_it_accepts_for_five_minutes(self) -> None:
        header = sign_payload('{"type":"ping"}', "secret", now=1000)
        event = construct_event('{"type":"ping"}', header, "secret", now=1300)
        self.assertEqual(event["type"], "ping")
        for now in [699, 1301]:
            with self.assertRaises(SignatureError):
                construct_event('{"type":"ping"}', header, "secret", now=now)
        for secret, payload in [("other", '{"type":"ping"}'), ("secret", '{"type":"pong"}')]:
            with self.assertRaises(SignatureError):
                construct_event(payload, header, secret, now=1000)

    def test_a_delivery_of_another_time_is_refused_before_its_signature_is_computed(self) -> None:
        standard = {"webhook-id": "evt_1", "webhook-timestamp": "1000", "webhook-signature": ""}
        given: list[str | dict[str, str]] = ["t=1000,v1=" + "0" * 64, standard]
        for headers in given:
            for now, word in [(699, "ahead"), (1301, "ago")]:
                with self.assertRaisesRegex(SignatureError, f"Signed 301 s {word}; 300 are allowed"):
                    construct_event("{}", headers, "whsec_AAAA", now=now)

    def test_nothing_is_signed_or_accepted_with_an_empty_secret(self) -> None:
        def signed(text: bytes) -> bytes:
            return hmac.new(b"", text, hashlib.sha256).digest()

        own = f"t=1000,v1={signed(b'1000.{}').hex()}"
        standard = {
            "Webhook-Id": "msg_1",
            "Webhook-Timestamp": "1000",
            "Webhook-Signature": f"v1,{base64.b64encode(signed(b'msg_1.1000.{}')).decode()}",
        }
        given: list[tuple[str | dict[str, str], str]] = [(own, ""), (standard, ""), (standard, "whsec_")]
        for header, secret in given:
            with self.assertRaisesRegex(TypeError, "`secret` is empty"):
                construct_event("{}", header, secret, now=1000)
        with self.assertRaisesRegex(TypeError, "`secret` is empty"):
            sign_payload("{}", "")

    def test_a_request_without_a_signature_is_a_signature_error(self) -> None:
        missing: list[Any] = [None, "", {}, {"Svc-Signature": None}]
        for header in missing:
            with self.assertRaisesRegex(SignatureError, "There is no signature"):
                construct_event("{}", header, "whsec_x")

    def test_a_header_that_is_not_utf_8_is_a_signature_error(self) -> None:
        header = b"\xff".decode("utf-8", "surrogateescape")
        standard = {"webhook-id": header, "webhook-timestamp": "1000", "webhook-signature": "v1,AA"}
        given: list[str | dict[str, str]] = [header, f"t={header}", f"t=1000,v1={header}", standard]
        for headers in given:
            with self.assertRaises(SignatureError):
                construct_event("{}", headers, "whsec_AAAA", now=1000)

    def test_the_headers_of_the_server_of_the_standard_library(self) -> None:
        headers = Message()
        headers["svc-signature"] = sign_payload('{"type":"ping"}', "whsec_x")
        self.assertEqual(construct_event('{"type":"ping"}', headers, "whsec_x")["type"], "ping")

    def test_the_body_is_what_arrived_and_headers_may_have_several_values(self) -> None:
        text = '{"type":"ping"}'
        header = sign_payload(text, "whsec_x")
        raw = text.encode()
        bodies: list[str | bytes | bytearray | memoryview]
        bodies = [text, raw, bytearray(raw), memoryview(raw)]
        headers: list[Any] = [header, {"Svc-Signature": header}, {"svc-signature": [header]}]
        headers += [{"Svc-Signature": header, "Content-Length": 2, 3: None}]
        headers += [{"Svc-Signature": header.encode()}, {"Svc-Signature": [header.encode()]}]
        for body in bodies:
            for given in headers:
                self.assertEqual(construct_event(body, given, "whsec_x")["type"], "ping")
        wrong: list[tuple[Any, Any, Any, str]] = [
            (json.loads(text), header, "whsec_x", "`payload` takes the raw body"),
            (text, [("Svc-Signature", header)], "whsec_x", "`header` takes"),
            (text, header, None, "`secret` is missing"),
        ]
        for payload, given_header, secret, message in wrong:
            with self.assertRaisesRegex(TypeError, message):
                construct_event(payload, given_header, secret)
