# Generated from the operations by `npm run generate`: do not edit.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Unpack

from ._client import Client, Content, Record
from ._follow import follow
from ._keys import KeyStore
from ._lists import Rows, changes
from ._proof import Proof, proof
from ._receipts import Receipts
from ._request import Call, ChangeOptions, File, ReadOptions, WriteOptions, segment
from ._stream import follow_stream


class _DocumentsComments:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        id: str,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List the comments on a document, newest first.

        Those of your own organization; the other side has its own.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found.
        """
        return Rows(self._client, f"/v1/documents/{segment(id)}/comments", {"limit": limit}, options)

    def create(
        self,
        id: str,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Comment on a document.

        Only your own organization sees it, in any state of the document. It is no part of the
        record: the revision stays, and nobody is told.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/documents/{segment(id)}/comments", body=body), options)


class _TreasuryAccounts:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List accounts.

        Access: an API key with `treasury:read`, or a session.
        Errors: capability_unavailable.
        """
        return Rows(self._client, "/v1/treasury/accounts", {"limit": limit}, options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve an account.

        Access: an API key with `treasury:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/treasury/accounts/{segment(id)}"), options)


class _TreasuryBalances:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        account: str | Sequence[str] | None = None,
        currency: str | Sequence[str] | None = None,
        as_of: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List balances, now or at a point in time.

        Access: an API key with `treasury:read`, or a session.
        Errors: capability_unavailable.
        """
        return Rows(self._client, "/v1/treasury/balances", {"limit": limit, "account": account, "currency": currency, "as_of": as_of}, options)


class _TreasuryTransactions:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        account: str | Sequence[str] | None = None,
        payment: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List transactions, last posted first.

        Access: an API key with `treasury:read`, or a session.
        Errors: capability_unavailable.
        """
        return Rows(self._client, "/v1/treasury/transactions", {"limit": limit, "account": account, "payment": payment, "type": type, "since": since, "until": until}, options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a transaction.

        Access: an API key with `treasury:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/treasury/transactions/{segment(id)}"), options)


class _FinanceSetup:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the finance setup.

        `blockers` names what keeps the organization from borrowing or lending.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable.
        """
        return self._client.json(Call("GET", "/v1/finance/setup"), options)

    def update(
        self,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Set up borrowing and lending.

        A role that is enabled without an account takes the one of the default currency. Loans in
        another currency use the account of the same purpose in that currency. An account that is
        bound to an open agreement stays until that is closed.

        Access: an API key with `documents:write` and `payments:write`, or a session.
        Errors: capability_unavailable, not_found, conflict.
        """
        return self._client.json(Call("PUT", "/v1/finance/setup", body=body), options)


class _FinanceListings:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        role: str | None = None,
        updated_since: str | date | None = None,
        status: str | Sequence[str] | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List listings, newest first.

        Borrowers see their own listings; lenders see the open ones of the borrowers to whom they are
        connected.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable.
        """
        return Rows(self._client, "/v1/finance/listings", {"limit": limit, "role": role, "updated_since": updated_since, "status": status}, options)

    def create(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Ask for a loan against an invoice.

        The invoice must be approved, with a due date that is not past and a balance that covers the
        principal, and neither listed, pledged nor being paid. Lenders learn its currency, balance,
        due date and status, and how many invoices look like it. A demo counterparty plays
        `sandbox_scenario`, by default `offer_at_ask`.

        Access: an API key with `documents:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, conflict, sandbox_quota.
        """
        return self._client.json(Call("POST", "/v1/finance/listings", body=body), options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a listing.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/finance/listings/{segment(id)}"), options)

    def withdraw(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Withdraw a listing.

        Its open offers lapse.

        Access: an API key with `documents:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/finance/listings/{segment(id)}/withdraw"), options)


class _FinanceOffers:
    def __init__(self, client: Client) -> None:
        self._client = client

    def create(
        self,
        id: str,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Offer a loan for a listing.

        At the ask of the listing, or at other terms. A later offer for the same listing supersedes
        it. What the borrower would authorize is frozen with the offer, its cost included.

        Access: an API key with `documents:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/finance/listings/{segment(id)}/offers", body=body), options)

    def list(
        self,
        *,
        limit: int | None = None,
        role: str | None = None,
        updated_since: str | date | None = None,
        listing: str | Sequence[str] | None = None,
        status: str | Sequence[str] | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List offers, newest first.

        Returns the offers that the organization has made and those that it has received.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable.
        """
        return Rows(self._client, "/v1/finance/offers", {"limit": limit, "role": role, "updated_since": updated_since, "listing": listing, "status": status}, options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve an offer.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/finance/offers/{segment(id)}"), options)

    def authorization(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve what accepting an offer authorizes.

        The exact bytes of the standing authorization, in the canonical form of RFC 8785. Their
        SHA-256 is the digest that the borrower repeats to accept.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/finance/offers/{segment(id)}/authorization"), options)

    def accept(
        self,
        id: str,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Accept an offer, as the borrower.

        Repeats the digest of the standing authorization, and so authorizes what it says. In one step
        the invoice is pledged, the other offers lapse, and the agreement begins with its three
        documents.

        Access: an API key with `documents:write` and `payments:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/finance/offers/{segment(id)}/accept", body=body), options)

    def decline(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Decline an offer, as the borrower.

        Access: an API key with `documents:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/finance/offers/{segment(id)}/decline"), options)

    def withdraw(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Withdraw an offer, as the lender.

        Access: an API key with `documents:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/finance/offers/{segment(id)}/withdraw"), options)


class _FinanceAgreements:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        role: str | None = None,
        status: str | Sequence[str] | None = None,
        updated_since: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List agreements, newest first.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable.
        """
        return Rows(self._client, "/v1/finance/agreements", {"limit": limit, "role": role, "status": status, "updated_since": updated_since}, options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve an agreement.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/finance/agreements/{segment(id)}"), options)

    def repayment(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve how far a loan is repaid.

        The latest payments and sweeps, oldest first.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/finance/agreements/{segment(id)}/repayment"), options)

    def repay(
        self,
        id: str,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Repay what is owed now, as the borrower.

        The same as documents.pay on the repayment document: safe to repeat, and within the key's
        payment_limits. Nothing is owed any more once it settles.

        Access: an API key with `documents:write` and `payments:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, payment_limit_exceeded, not_found,
        conflict, sandbox_quota.
        """
        return self._client.json(Call("POST", f"/v1/finance/agreements/{segment(id)}/repayment", body=body), options)

    def withdraw(
        self,
        id: str,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Withdraw from an agreement that is not funded.

        Either party can, unless a payment of the disbursement is under way; also once the
        disbursement was returned, if nothing was repaid. The disbursement and the repayment are
        cancelled, and the pledge is released.

        Access: an API key with `documents:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/finance/agreements/{segment(id)}/withdraw", body=body), options)

    def export(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Proof:
        """Export the proof of a pledge.

        Returns one canonical JSON file that proves offline, with the published verifiers, that the
        pledged invoice was approved, its balance and due date then, and that this pledge is the only
        one. Of the invoice it opens nothing else. The same state of both documents always results in
        the same bytes. If a last change is not in the log yet, the request waits for it for up to 5
        seconds.

        Access: an API key with `provenance:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, integrity_failure.
        """
        return proof(self._client, f"/v1/finance/agreements/{segment(id)}/export", options)


class _SandboxClock:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the sandbox clock.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation.
        """
        return self._client.json(Call("GET", "/v1/sandbox/clock"), options)

    def advance(
        self,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Move the sandbox clock forward.

        Moves both sides of the practice pair, and nobody else. Affects dates, due times, the delays
        of the payment simulator and the demo counterparty, the day of daily_volume and expiries.
        Everything that is due by the new time is processed before the response, each item as of its
        due time: up to 500 items, beyond which the response is 503 and the same request continues. A
        payment follows the clock of its payer, an offer lasts by the clock of its issuer, and
        `overdue` follows the clock of whoever reads. Recorded times (`*_at`), events, keys and
        idempotency keep the real time.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, conflict.
        """
        return self._client.json(Call("POST", "/v1/sandbox/clock", body=body), options)


class _SandboxPayments:
    def __init__(self, client: Client) -> None:
        self._client = client

    def simulate(
        self,
        id: str,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Decide the outcome of a payment.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/sandbox/payments/{segment(id)}/simulate", body=body), options)


class _SandboxDemo:
    def __init__(self, client: Client) -> None:
        self._client = client

    def create_document(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Receive a document from the demo counterparty.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, conflict.
        """
        return self._client.json(Call("POST", "/v1/sandbox/demo/documents", body=body), options)

    def transition(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Let the demo counterparty move a document.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", "/v1/sandbox/demo/transitions", body=body), options)

    def create_listing(
        self,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Let the demo counterparty ask for a loan.

        Lists a bill that you have approved, so that you can lend to the demo counterparty: make an
        offer, and the scenario answers it.

        Access: an API key with `documents:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", "/v1/sandbox/demo/listings", body=body), options)


class _Documents:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.comments = _DocumentsComments(client)

    def list(
        self,
        *,
        limit: int | None = None,
        sort: str | None = None,
        id: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        connection: str | Sequence[str] | None = None,
        status: str | Sequence[str] | None = None,
        phase: str | Sequence[str] | None = None,
        direction: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        updated_since: str | date | None = None,
        currency: str | Sequence[str] | None = None,
        due_from: str | date | None = None,
        due_to: str | date | None = None,
        owed: str | None = None,
        query: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List documents, newest first.

        Overdue: `query=is:overdue`. To catch up: `sort=updated`, `updated_since`. `query` searches:
        every search word must be the beginning of a word in the numbers, references, counterparty
        name, line descriptions, SKUs or notes; names tolerate a typing error, and operators narrow
        it: `status:paid total:>1000`. Read until `next_cursor` is null.

        Access: an API key with `documents:read`, or a session.
        """
        return Rows(self._client, "/v1/documents", {"limit": limit, "sort": sort, "id": id, "type": type, "connection": connection, "status": status, "phase": phase, "direction": direction, "since": since, "until": until, "updated_since": updated_since, "currency": currency, "due_from": due_from, "due_to": due_to, "owed": owed, "query": query}, options)

    def changes(
        self,
        since: str | date | None = None,
        *,
        limit: int | None = None,
        id: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        connection: str | Sequence[str] | None = None,
        status: str | Sequence[str] | None = None,
        phase: str | Sequence[str] | None = None,
        direction: str | None = None,
        until: str | date | None = None,
        currency: str | Sequence[str] | None = None,
        due_from: str | date | None = None,
        due_to: str | date | None = None,
        owed: str | None = None,
        query: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> Iterator[Record]:
        """Everything that has changed since then, oldest change first.

        Once per change seen, and once each when nothing changes meanwhile. Start the next sweep with
        the newest `updated_at` of this one.
        """
        return changes(self._client, "/v1/documents", since, {"limit": limit, "id": id, "type": type, "connection": connection, "status": status, "phase": phase, "direction": direction, "until": until, "currency": currency, "due_from": due_from, "due_to": due_to, "owed": owed, "query": query}, options)

    def create(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Create a draft.

        The calling organization becomes the issuer, and only it can see the draft. The service
        assigns the number and derives the totals and whichever of `payment_terms` and `due_date` is
        missing.

        Access: an API key with `documents:write`, or a session.
        Errors: not_found, conflict, sandbox_quota.
        """
        return self._client.json(Call("POST", "/v1/documents", body=body), options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a document.

        Returns the record in the projection of the calling organization: an Invoice for one side, a
        Bill for the other.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/documents/{segment(id)}"), options)

    def update(
        self,
        id: str,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Record:
        """Edit a draft.

        Only drafts can be edited. Line items and maps are replaced as a whole, and all totals are
        recalculated.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, not_found, conflict, precondition_failed.
        """
        return self._client.json(Call("PATCH", f"/v1/documents/{segment(id)}", body=body), options)

    def issue(
        self,
        id: str,
        **options: Unpack[ChangeOptions],
    ) -> Record:
        """Issue a draft to the counterparty.

        Moves the draft to the entry state of its type. From then on, the counterparty can see the
        same record in its own projection, and its content never changes.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, not_found, conflict, precondition_failed.
        """
        return self._client.json(Call("POST", f"/v1/documents/{segment(id)}/issue"), options)

    def transition(
        self,
        id: str,
        body: Mapping[str, Any],
        **options: Unpack[ChangeOptions],
    ) -> Record:
        """Move a document to another state.

        The state machine of the document type defines which transitions each side can make. An
        illegal transition is refused with 409, with the legal targets in `details.allowed`. Targets
        that execute a payment also require payments:write.

        Access: an API key with `documents:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, payment_limit_exceeded, not_found,
        conflict, precondition_failed, sandbox_quota.
        """
        return self._client.json(Call("POST", f"/v1/documents/{segment(id)}/transition", body=body), options)

    def transitions(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """List the possible transitions.

        Returns the transitions that the caller can make now, with the scopes that each requires, and
        the side that the document is waiting on.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/documents/{segment(id)}/transitions"), options)

    def convert(
        self,
        id: str,
        body: Mapping[str, Any],
        **options: Unpack[ChangeOptions],
    ) -> Record:
        """Convert a document.

        Creates a draft from another document: an order or invoice from a quote or contract; an
        invoice, delivery note or goods receipt from an order; a credit note from an invoice. Lines,
        currency and terms are copied unless you send others, and the draft refers to its source,
        which changes only when the draft is issued. If refused, `details.allowed` lists what it can
        become.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, not_found, conflict, precondition_failed.
        """
        return self._client.json(Call("POST", f"/v1/documents/{segment(id)}/convert", body=body), options)

    def import_(
        self,
        file: File,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Import a file as a draft.

        Takes UBL 2.1 invoices and credit notes, CII, PDFs that carry CII (Factur-X, ZUGFeRD), or CSV
        as `format=csv` writes it. The seller in the file must be you. Amounts are never adjusted: a
        file that does not add up is refused with the rule that it breaks. `import` says what was
        understood and what was not; try it with `Svc-Dry-Run`.

        Access: an API key with `documents:write`, or a session.
        Errors: not_found, conflict, sandbox_quota.
        """
        return self._client.json(Call("POST", "/v1/documents/import", file=file), options)

    def render(
        self,
        id: str,
        *,
        format: str | None = None,
        proof: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> Content:
        """Export a document.

        As it was issued, the same bytes for both sides: `ubl` is UBL 2.1 (invoices and credit notes
        as Peppol BIS Billing 3.0, orders and delivery notes as Peppol BIS 3, quotes and goods
        receipts), `cii` the Cross Industry Invoice (EN 16931), `peppol_cii` the same addressed to
        receivers in the Peppol network, `pdf` a tagged PDF/A-3 that carries `cii` if the profiles
        are complete, `facturx` one that always does. Our own tests assert PDF/A; no independent
        validator has checked it. `invoice_response` is what the buyer has answered to an invoice or
        credit note, by its state (Peppol BIS Invoice Response 3); a state that has no response is
        refused with 409 `conflict` (`not_exportable`). With `proof=1`, which needs
        `provenance:read`, the PDF also carries the caller’s proof bundle and prints its digest; the
        published verifiers take the PDF as it is. `Accept` chooses where `format` does not; a media
        type with parameters, such as `text/csv; charset=utf-8`, needs parameters that are true of
        it. Drafts and sandbox documents are marked.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found, not_acceptable, conflict, integrity_failure.
        """
        return self._client.content(Call("GET", f"/v1/documents/{segment(id)}/render", query={"format": format, "proof": proof}), options)

    def checks(
        self,
        id: str,
        *,
        format: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Check a document before its export.

        Says which rules of EN 16931, and for `ubl`, `peppol_cii` and `invoice_response` of Peppol,
        the export would break, also of a draft; for `pdf` and `facturx`, also the first text that
        their font cannot show. Issuing never refuses for it.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found, not_acceptable, integrity_failure.
        """
        return self._client.json(Call("GET", f"/v1/documents/{segment(id)}/checks", query={"format": format}), options)

    def csv(
        self,
        *,
        id: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        connection: str | Sequence[str] | None = None,
        status: str | Sequence[str] | None = None,
        phase: str | Sequence[str] | None = None,
        direction: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        updated_since: str | date | None = None,
        currency: str | Sequence[str] | None = None,
        due_from: str | date | None = None,
        due_to: str | date | None = None,
        owed: str | None = None,
        query: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> str:
        """Download the document list as CSV.

        The rows and the order of documents.list with the same filters; a column is a field of its
        rows. At most 100000 rows: more are refused.

        Access: an API key with `documents:read`, or a session.
        """
        return self._client.text(Call("GET", "/v1/documents.csv", query={"id": id, "type": type, "connection": connection, "status": status, "phase": phase, "direction": direction, "since": since, "until": until, "updated_since": updated_since, "currency": currency, "due_from": due_from, "due_to": due_to, "owed": owed, "query": query}), options)

    def pay(
        self,
        id: str,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Record:
        """Pay the whole balance of a document.

        Safe to repeat at any time, with the same or another Idempotency-Key. While a payment is in
        progress, and after it has settled, the response is the document with that payment, never
        with a second one. A scheduled payment is executed now. `payment` and the events
        payment.settled and payment.failed show the outcome.

        Access: an API key with `documents:write` and `payments:write`, or a session.
        Errors: capability_unavailable, sandbox_isolation, payment_limit_exceeded, not_found,
        conflict, precondition_failed, sandbox_quota.
        """
        return self._client.json(Call("POST", f"/v1/documents/{segment(id)}/pay", body=body), options)

    def history(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the verified history.

        Returns every change to the document, oldest first, verified for this very response: the hash
        chain, the commitments, a replay against the current record, and the inclusion in the signed
        log. A step that only the other side may read is sealed: you learn that it exists. A record
        that does not verify is not returned: the response is 500 `integrity_failure`, and the
        document is put on hold.

        Access: an API key with `provenance:read`, or a session.
        Errors: sandbox_isolation, not_found, integrity_failure.
        """
        return self._client.json(Call("GET", f"/v1/documents/{segment(id)}/history"), options)

    def lineage(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the verified lineage.

        Returns the documents that this one was made from and those made from it, each verified like
        a history, the payments that settled them, and the links between them. A link is recorded in
        both histories and pins the exact version of the other document; a payment is pinned by the
        event in which it settled. A sealed step shows only that something exists, since when, and
        who can open it.

        Access: an API key with `provenance:read`, or a session.
        Errors: sandbox_isolation, not_found, integrity_failure.
        """
        return self._client.json(Call("GET", f"/v1/documents/{segment(id)}/lineage"), options)

    def export(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Proof:
        """Export a proof bundle.

        Returns one canonical JSON file that anyone can verify offline with the published
        `verify-bundle.mjs` or `verify_bundle.py`. The same head of the document and the same viewer
        always result in the same bytes. `Svc-Bundle-Digest` is the SHA-256 of the exact bytes in
        hex, and so is the `ETag`. If the last change is not in the log yet, the request waits for it
        for up to 5 seconds.

        Access: an API key with `provenance:read`, or a session.
        Errors: sandbox_isolation, not_found, integrity_failure.
        """
        return proof(self._client, f"/v1/documents/{segment(id)}/export", options)

    def receipt(
        self,
        id: str,
        seq: int,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the signed receipt of an event.

        Returns the proof that one event of the document is in the log, in canonical JSON: its
        header, its place and the first checkpoint that covers it. The header is what `Svc-Event` has
        the hash of; it shows no content. Both sides get the same bytes, and they never change. If
        the event is not in the log yet, the request waits for it for up to 5 seconds.

        Access: an API key with `provenance:read`, or a session.
        Errors: sandbox_isolation, not_found, integrity_failure.
        """
        return self._client.json(Call("GET", f"/v1/documents/{segment(id)}/receipts/{segment(seq)}"), options)


class _Statistics:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        *,
        metric: str,
        from_: str | date | None = None,
        to: str | date | None = None,
        interval: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Add up documents, payments, loans or calls by period, status or age.

        Sums for charts, as of now, by currency. A metric without amounts answers `counts`, the
        others `points`.

        Access: an API key with `documents:read`, or a session.
        Errors: capability_unavailable.
        """
        return self._client.json(Call("GET", "/v1/statistics", query={"metric": metric, "from": from_, "to": to, "interval": interval}), options)


class _Attachments:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        id: str,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List the attachments of a document, newest first.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found.
        """
        return Rows(self._client, f"/v1/documents/{segment(id)}/attachments", {"limit": limit}, options)

    def create(
        self,
        id: str,
        file: File,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Attach a file to a document.

        Either side can attach files to a document that it can see, in any state; attachments of a
        draft become visible to the counterparty when it is issued. The history of the document
        records the file, so its `revision` and `updated_at` move. A retry with the same
        Idempotency-Key is replayed if the name, media type and bytes of the file are the same.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/documents/{segment(id)}/attachments", file=file), options)

    def get(
        self,
        id: str,
        attachment_id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve an attachment with its download link.

        Anyone with the link can download the file without a key for five minutes. Retrieve the
        attachment again for a new link.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/documents/{segment(id)}/attachments/{segment(attachment_id)}"), options)


class _Connections:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        status: str | Sequence[str] | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List connections, newest first.

        Returns connections and invitations, sent or received. A session also sees the invitations to
        the e-mail address of its user.

        Access: an API key with `documents:read`, or a session.
        """
        return Rows(self._client, "/v1/connections", {"limit": limit, "status": status}, options)

    def create(
        self,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Send an invitation.

        Invites an organization by its id, or a person by e-mail, who sees the invitation after
        signing in, and gets a notice where the deployment has a mail server. Documents can be
        exchanged once the invitation is accepted.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", "/v1/connections", body=body), options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a connection.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/connections/{segment(id)}"), options)

    def accept(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Accept an invitation.

        Only the invited side can accept. From then on, both sides can create documents on the
        connection.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/connections/{segment(id)}/accept"), options)

    def decline(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Decline an invitation.

        Only the invited side can decline. Declining is final: a later invitation creates a new
        connection.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/connections/{segment(id)}/decline"), options)

    def end(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """End a connection or withdraw an invitation.

        Either side can end a connection. An ended connection accepts no new documents, and its
        drafts cannot be issued; documents that both sides have seen continue.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/connections/{segment(id)}/end"), options)


class _Payments:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        sort: str | None = None,
        document: str | Sequence[str] | None = None,
        connection: str | Sequence[str] | None = None,
        status: str | Sequence[str] | None = None,
        kind: str | Sequence[str] | None = None,
        direction: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        updated_since: str | date | None = None,
        currency: str | Sequence[str] | None = None,
        settled_from: str | date | None = None,
        settled_to: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List payments, newest first.

        Returns the payments that the organization makes and those that it receives. `GET
        /v1/documents?id=` reads their documents in one call. To catch up on changes, use
        `sort=updated` with `updated_since`.

        Access: an API key with `payments:read`, or a session.
        """
        return Rows(self._client, "/v1/payments", {"limit": limit, "sort": sort, "document": document, "connection": connection, "status": status, "kind": kind, "direction": direction, "since": since, "until": until, "updated_since": updated_since, "currency": currency, "settled_from": settled_from, "settled_to": settled_to}, options)

    def changes(
        self,
        since: str | date | None = None,
        *,
        limit: int | None = None,
        document: str | Sequence[str] | None = None,
        connection: str | Sequence[str] | None = None,
        status: str | Sequence[str] | None = None,
        kind: str | Sequence[str] | None = None,
        direction: str | None = None,
        until: str | date | None = None,
        currency: str | Sequence[str] | None = None,
        settled_from: str | date | None = None,
        settled_to: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> Iterator[Record]:
        """Everything that has changed since then, oldest change first.

        Once per change seen, and once each when nothing changes meanwhile. Start the next sweep with
        the newest `updated_at` of this one.
        """
        return changes(self._client, "/v1/payments", since, {"limit": limit, "document": document, "connection": connection, "status": status, "kind": kind, "direction": direction, "until": until, "currency": currency, "settled_from": settled_from, "settled_to": settled_to}, options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a payment.

        Access: an API key with `payments:read`, or a session.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/payments/{segment(id)}"), options)

    def csv(
        self,
        *,
        document: str | Sequence[str] | None = None,
        connection: str | Sequence[str] | None = None,
        status: str | Sequence[str] | None = None,
        kind: str | Sequence[str] | None = None,
        direction: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        updated_since: str | date | None = None,
        currency: str | Sequence[str] | None = None,
        settled_from: str | date | None = None,
        settled_to: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> str:
        """Download the payment list as CSV.

        The rows and the order of payments.list with the same filters; a column is a field of its
        rows, and `document_number` and `counterparty.name` are those of the document that is paid.
        At most 100000 rows: more are refused.

        Access: an API key with `payments:read`, or a session.
        """
        return self._client.text(Call("GET", "/v1/payments.csv", query={"document": document, "connection": connection, "status": status, "kind": kind, "direction": direction, "since": since, "until": until, "updated_since": updated_since, "currency": currency, "settled_from": settled_from, "settled_to": settled_to}), options)


class _Approvals:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        status: str | Sequence[str] | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List approvals, newest first.

        A session sees those of the organization, a key those it has asked for.

        Access: any API key or session.
        """
        return Rows(self._client, "/v1/approvals", {"limit": limit, "status": status}, options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve an approval.

        Access: any API key or session.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/approvals/{segment(id)}"), options)

    def approve(
        self,
        id: str,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Approve what waits, by its digest.

        Of another person than the one who asked, or who made the key that asked. The write runs when
        it is sent again.

        Access: a session of an owner, admin or approver.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/approvals/{segment(id)}/approve", body=body), options)

    def decline(
        self,
        id: str,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Decline what waits.

        Also takes an approval back that has not been used.

        Access: a session of an owner, admin or approver.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/approvals/{segment(id)}/decline", body=body), options)


class _ApprovalRules:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List approval rules, newest first.

        Access: an admin session only.
        """
        return Rows(self._client, "/v1/approval_rules", {"limit": limit}, options)

    def create(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Create an approval rule.

        Binds sessions, and keys with requires_approval or beyond requires_approval_above. Everyone
        who asks needs others to approve.

        Access: an admin session only.
        Errors: not_found, conflict.
        """
        return self._client.json(Call("POST", "/v1/approval_rules", body=body), options)

    def update(
        self,
        id: str,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Change an approval rule.

        What waits already keeps the requirements with which it was asked.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("PATCH", f"/v1/approval_rules/{segment(id)}", body=body), options)

    def delete(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Delete an approval rule.

        Returns the last record. What waits already still waits.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("DELETE", f"/v1/approval_rules/{segment(id)}"), options)

    def test(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Try the approval rules with a write.

        Says what a session would have to wait for. Changes nothing.

        Access: an admin session only.
        Errors: conflict.
        """
        return self._client.json(Call("POST", "/v1/approval_rules/test", body=body), options)


class _Treasury:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.accounts = _TreasuryAccounts(client)
        self.balances = _TreasuryBalances(client)
        self.transactions = _TreasuryTransactions(client)

    def statement(
        self,
        id: str,
        *,
        format: str,
        from_: str | date,
        to: str | date,
        **options: Unpack[ReadOptions],
    ) -> str:
        """Download a statement of an account.

        What was posted from one day to another, in the order of posting: the opening balance and all
        entries add up to the closing balance. `camt053` is camt.053.001.08 of ISO 20022. Entries
        name the number of their document and the other party. At most 100000 entries.

        Access: an API key with `treasury:read`, or a session.
        Errors: capability_unavailable, sandbox_isolation, not_found.
        """
        return self._client.text(Call("GET", f"/v1/treasury/accounts/{segment(id)}/statement", query={"format": format, "from": from_, "to": to}), options)


class _Finance:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.setup = _FinanceSetup(client)
        self.listings = _FinanceListings(client)
        self.offers = _FinanceOffers(client)
        self.agreements = _FinanceAgreements(client)


class _Events:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        type: str | Sequence[str] | None = None,
        document: str | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List the events of the feed.

        With `after`, the id of the last event that you have, returns the events committed since, in
        commit order and without gaps. Without it, returns the newest events first.

        Access: an API key with `documents:read`, or a session.
        """
        return Rows(self._client, "/v1/events", {"limit": limit, "after": after, "type": type, "document": document}, options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve an event.

        Access: an API key with `documents:read`, or a session.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/events/{segment(id)}"), options)

    def follow(
        self,
        after: str | None = None,
        *,
        type: str | Sequence[str] | None = None,
        document: str | None = None,
        interval: float = 2.0,
        from_oldest: bool = False,
    ) -> Iterator[Record]:
        """Follow the feed in commit order, without gaps, through outages.

        To resume after a restart, keep the id of the last event that you have handled. Without
        `after`, only what happens from now on, or, with `from_oldest`, all that there is.
        `interval`: seconds between looks when nothing happens.
        """
        filters = {"type": type, "document": document}
        return follow(self._client, after, filters, interval, from_oldest)


class _Webhooks:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List webhook endpoints, newest first.

        Access: an admin session, or an API key with `webhooks:manage`.
        """
        return Rows(self._client, "/v1/webhooks", {"limit": limit}, options)

    def create(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Register a webhook endpoint.

        The endpoint receives every event that is committed from now on; deliveries.recover delivers
        earlier events. The signing secret is shown once, in this response.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: conflict, sandbox_quota.
        """
        return self._client.json(Call("POST", "/v1/webhooks", body=body), options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a webhook endpoint.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/webhooks/{segment(id)}"), options)

    def update(
        self,
        id: str,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Update or re-enable a webhook endpoint.

        `status: ACTIVE` enables the endpoint again and resets its failure count. Deliveries that
        were skipped in the meantime can be redelivered.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("PATCH", f"/v1/webhooks/{segment(id)}", body=body), options)

    def delete(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Delete a webhook endpoint.

        Stops all deliveries to the endpoint and returns its last record.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("DELETE", f"/v1/webhooks/{segment(id)}"), options)

    def rotate_secret(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Rotate the signing secret.

        For 24 hours both secrets sign every delivery, the new one first. At most two secrets sign: a
        second rotation within that time stops the oldest secret immediately. The new secret is shown
        once, in this response.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/webhooks/{segment(id)}/rotate_secret"), options)

    def ping(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Send a test event.

        Makes one real attempt, signed like every delivery, even to a DISABLED endpoint, and returns
        its outcome. A success resets the failure count like any other; a failure never counts. At
        most two pings of an endpoint run at once.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/webhooks/{segment(id)}/ping"), options)


class _Deliveries:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        id: str,
        *,
        limit: int | None = None,
        status: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List the deliveries of an endpoint, newest first.

        Returns the deliveries of the last 30 days, including pings. Retrieve a single delivery to
        see its attempts.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found.
        """
        return Rows(self._client, f"/v1/webhooks/{segment(id)}/deliveries", {"limit": limit, "status": status, "type": type, "since": since, "until": until}, options)

    def get(
        self,
        id: str,
        delivery_id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a delivery with its attempts.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found.
        """
        return self._client.json(Call("GET", f"/v1/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}"), options)

    def redeliver(
        self,
        id: str,
        delivery_id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Redeliver an event.

        Sets the delivery to pending again: it sends the same bytes with the same `Svc-Webhook-Id`,
        on a new retry schedule. Document texts that have been erased since are not sent again.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/redeliver"), options)

    def recover(
        self,
        id: str,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Redeliver a range of events.

        Schedules every event of the range that was not successfully delivered to this endpoint:
        events that failed, were skipped, were not subscribed to at the time or are older than the
        endpoint. If `next_since` is not null, repeat the request from there.

        Access: an admin session, or an API key with `webhooks:manage`.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/webhooks/{segment(id)}/redeliver", body=body), options)


class _Log:
    def __init__(self, client: Client) -> None:
        self._client = client

    def keys(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the log keys.

        Returns the public keys that sign the log of your environment. Save the response once, from a
        network that you trust, as the `trust.json` of the verifier.

        Access: an API key with `provenance:read`, or a session.
        """
        return self._client.json(Call("GET", "/v1/log/keys"), options)

    def checkpoint(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the newest checkpoint.

        Returns a C2SP checkpoint: the signed origin, size and root of the log. Keep the last
        checkpoint that you have seen; with log.consistency you can prove that the log has only grown
        since.

        Access: an API key with `provenance:read`, or a session.
        Errors: integrity_failure.
        """
        return self._client.json(Call("GET", "/v1/log/checkpoint"), options)

    def consistency(
        self,
        *,
        from_: int,
        to: int,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Prove that the log has only grown.

        Access: an API key with `provenance:read`, or a session.
        Errors: integrity_failure.
        """
        return self._client.json(Call("GET", "/v1/log/consistency", query={"from": from_, "to": to}), options)

    def epochs(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Prove that the log continues its earlier epochs.

        A log whose database was restored from a backup begins a new epoch under another name. Its
        first leaf holds the last checkpoint of the epoch before. `--epochs` of the verifier takes
        this response, so that `--since` can compare bundles of two epochs.

        Access: an API key with `provenance:read`, or a session.
        Errors: integrity_failure.
        """
        return self._client.json(Call("GET", "/v1/log/epochs"), options)


class _Keys:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List keys, newest first.

        Access: an admin session, or an API key with `keys:manage`.
        """
        return Rows(self._client, "/v1/keys", {"limit": limit}, options)

    def create(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Create a key.

        The secret is shown once, in this response; only its hash is stored. Scopes that the
        organization does not have are stored, and take effect once it has them.

        Access: an admin session only.
        Errors: conflict, sandbox_quota.
        """
        return self._client.json(Call("POST", "/v1/keys", body=body), options)

    def get(
        self,
        id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a key.

        Access: an admin session, or an API key with `keys:manage`.
        Errors: not_found.
        """
        return self._client.json(Call("GET", f"/v1/keys/{segment(id)}"), options)

    def rotate(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Rotate a key.

        Creates a replacement with the same name, scopes, limits, approval rule and signing key. The
        old key keeps working until `previous.expires_at`, 24 hours later unless the deployment is
        configured differently.

        Access: an admin session only.
        Errors: not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/keys/{segment(id)}/rotate"), options)

    def revoke(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Revoke a key.

        Takes effect immediately and permanently. Revoking a revoked key returns the same record.

        Access: an admin session only.
        Errors: not_found, conflict.
        """
        return self._client.json(Call("POST", f"/v1/keys/{segment(id)}/revoke"), options)


class _Organization:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the organization.

        With the profile that exports of its documents show.

        Access: an API key with `documents:read`, or a session.
        """
        return self._client.json(Call("GET", "/v1/organization"), options)

    def update(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Change the profile.

        Documents issued from now on show it; those issued before keep what they were issued with.
        What an export of theirs lacks is filled once, from the first change that has it.

        Access: an admin session only.
        Errors: not_found, conflict, integrity_failure.
        """
        return self._client.json(Call("PATCH", "/v1/organization", body=body), options)


class _Members:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        role: str | Sequence[str] | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List members, newest first.

        Access: an admin session only.
        """
        return Rows(self._client, "/v1/members", {"limit": limit, "role": role}, options)

    def update(
        self,
        user_id: str,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Change the role of a member.

        Takes effect on the next request of every session of the member. Only owners make, change or
        remove owners, and the last owner stays.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("PATCH", f"/v1/members/{segment(user_id)}", body=body), options)

    def remove(
        self,
        user_id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Remove a member.

        Ends all sessions of the member for this organization and the open invitations to the address
        immediately, and returns the last record. Keys that the member created stay: revoke those
        that should not.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("DELETE", f"/v1/members/{segment(user_id)}"), options)


class _Invitations:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List invitations of members, newest first.

        Returns invitations until a month after they expire.

        Access: an admin session only.
        """
        return Rows(self._client, "/v1/invitations", {"limit": limit}, options)

    def create(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Invite a person to be a member.

        Replaces an open invitation of the same person. The token is shown once, in this response:
        pass it on, and the person accepts at `POST /auth/invitations/accept` within 7 days. Where
        the deployment has a mail server, the person also gets it by e-mail. Connection invitations
        to an address are shown only to users for whose address the operator vouches.

        Access: an admin session only.
        Errors: conflict.
        """
        return self._client.json(Call("POST", "/v1/invitations", body=body), options)

    def revoke(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Revoke an invitation.

        Immediate. Revoking again returns the same record.

        Access: an admin session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("DELETE", f"/v1/invitations/{segment(id)}"), options)


class _Audit:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        user: str | Sequence[str] | None = None,
        operation: str | Sequence[str] | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List what people did, newest first.

        Every sign-in, accepted invitation and write of a session, stored in the transaction that did
        it. The entries are numbered without a gap, so that one that was changed or deleted is
        noticed. A page may be short although there is a next one.

        Access: an admin session only.
        """
        return Rows(self._client, "/v1/audit", {"limit": limit, "user": user, "operation": operation, "since": since, "until": until}, options)


class _SavedViews:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List your saved views, newest first.

        Access: a session only.
        """
        return Rows(self._client, "/v1/saved_views", {"limit": limit}, options)

    def create(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Save a view.

        Only you see it, and only for this organization.

        Access: a session only.
        Errors: conflict.
        """
        return self._client.json(Call("POST", "/v1/saved_views", body=body), options)

    def update(
        self,
        id: str,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Change a saved view.

        Access: a session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("PATCH", f"/v1/saved_views/{segment(id)}", body=body), options)

    def delete(
        self,
        id: str,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Delete a saved view.

        Returns the last record.

        Access: a session only.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("DELETE", f"/v1/saved_views/{segment(id)}"), options)


class _Preferences:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve your preferences.

        Access: a session only.
        """
        return self._client.json(Call("GET", "/v1/preferences"), options)

    def update(
        self,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Change your preferences.

        They hold for you in every organization and on every device. Notices go out by e-mail where
        the deployment has a mail server; invitations always do.

        Access: a session only.
        Errors: conflict.
        """
        return self._client.json(Call("PATCH", "/v1/preferences", body=body), options)


class _Requests:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        key: str | Sequence[str] | None = None,
        status: int | Sequence[int] | None = None,
        error_code: str | Sequence[str] | None = None,
        replayed: str | None = None,
        path: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List requests, newest first.

        Returns the requests of the organization in the last 30 days, without bodies, to help you
        find mistakes. A request appears a second or two after its response. Under very high load,
        some may be missing.

        Access: an admin session only.
        """
        return Rows(self._client, "/v1/requests", {"limit": limit, "key": key, "status": status, "error_code": error_code, "replayed": replayed, "path": path, "since": since, "until": until}, options)

    def get(
        self,
        request_id: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve a request.

        Returns what was answered to a request, by the `request_id` of its error or the `Request-Id`
        of its response. A request appears a second or two after its response, and is kept for 30
        days.

        Access: an admin session only.
        Errors: not_found.
        """
        return self._client.json(Call("GET", f"/v1/requests/{segment(request_id)}"), options)


class _Sandboxes:
    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """List practice pairs, newest first.

        Returns the practice pairs of the calling organization, or of the live organization that it
        belongs to.

        Access: an admin session only.
        """
        return Rows(self._client, "/v1/sandboxes", {"limit": limit}, options)

    def create(
        self,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Create a practice pair.

        Creates a sandbox organization, a demo counterparty, an active connection between them and
        the first documents from the counterparty, like the pair of the first start. The calling user
        owns both organizations. The owner of the pairs has a quota of them.

        Access: an admin session only.
        Errors: conflict, sandbox_quota.
        """
        return self._client.json(Call("POST", "/v1/sandboxes", body=body), options)


class _Me:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the caller.

        Access: any API key or session.
        """
        return self._client.json(Call("GET", "/v1/me"), options)


class _Idempotency:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        key: str,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the outcome of a write.

        Access: any API key or session.
        Errors: not_found.
        """
        return self._client.json(Call("GET", f"/v1/idempotency/{segment(key)}"), options)


class _Enablement:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve the enabled families.

        Access: public, no credentials required.
        """
        return self._client.json(Call("GET", "/v1/enablement"), options)


class _Sandbox:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.clock = _SandboxClock(client)
        self.payments = _SandboxPayments(client)
        self.demo = _SandboxDemo(client)

    def topup(
        self,
        body: Mapping[str, Any],
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Add test money to an account.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, not_found, conflict.
        """
        return self._client.json(Call("POST", "/v1/sandbox/topup", body=body), options)

    def reset(
        self,
        **options: Unpack[WriteOptions],
    ) -> Record:
        """Reset the sandbox.

        Puts both sides of the practice pair back into the state of a new pair: the first documents,
        full accounts, numbers from the beginning and the real time. Earlier records return 404. Keys
        with their limits, sessions, webhook endpoints and the counts of daily quotas are kept.
        Payments in progress are cancelled or fail first. Connections to other organizations end; the
        others can still read the documents exchanged on them, but can no longer change them. Their
        listings of what the pair owes are invalidated, and invoices that secure loans of the pair
        are released.

        Access: an API key with `documents:write`, or a session.
        Errors: sandbox_isolation, conflict.
        """
        return self._client.json(Call("POST", "/v1/sandbox/reset"), options)


class _Specification:
    def __init__(self, client: Client) -> None:
        self._client = client

    def get(
        self,
        **options: Unpack[ReadOptions],
    ) -> Record:
        """Retrieve this specification.

        Returns the OpenAPI 3.1 document of exactly what this deployment serves. `/v1/openapi.yaml`
        is the same document as YAML, and `/auth/openapi.json` describes sign-in.

        Access: public, no credentials required.
        """
        return self._client.json(Call("GET", "/v1/openapi.json"), options)


class Docex:
    """Every operation of the service, by resource.

    A method names the errors that are its own; every call can also fail with
    invalid_request, unauthorized, forbidden, not_enabled, insufficient_scope, rate_limited, internal_error, service_unavailable;
    every write with idempotency_conflict, payload_too_large, unsupported_media_type.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        max_retries: int = 2,
        timeout: float = 30.0,
        key_store: KeyStore | None = None,
        receipts: Receipts | None = None,
    ) -> None:
        client = Client(
            api_key,
            base_url,
            max_retries=max_retries,
            timeout=timeout,
            key_store=key_store,
            receipts=receipts,
        )
        self._client = client
        self.documents = _Documents(client)
        self.statistics = _Statistics(client)
        self.attachments = _Attachments(client)
        self.connections = _Connections(client)
        self.payments = _Payments(client)
        self.approvals = _Approvals(client)
        self.approval_rules = _ApprovalRules(client)
        self.treasury = _Treasury(client)
        self.finance = _Finance(client)
        self.events = _Events(client)
        self.webhooks = _Webhooks(client)
        self.deliveries = _Deliveries(client)
        self.log = _Log(client)
        self.keys = _Keys(client)
        self.organization = _Organization(client)
        self.members = _Members(client)
        self.invitations = _Invitations(client)
        self.audit = _Audit(client)
        self.saved_views = _SavedViews(client)
        self.preferences = _Preferences(client)
        self.requests = _Requests(client)
        self.sandboxes = _Sandboxes(client)
        self.me = _Me(client)
        self.idempotency = _Idempotency(client)
        self.enablement = _Enablement(client)
        self.sandbox = _Sandbox(client)
        self.specification = _Specification(client)

    def search(
        self,
        *,
        q: str,
        type: str | Sequence[str] | None = None,
        limit: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> Rows:
        """Search documents, connections, payments, keys, endpoints and requests.

        Returns the best results first: whole numbers and references, then amounts, beginnings,
        parties, and texts. It finds what your scopes may read, and no more. Documents are found by
        their total too, to the cent: `1,234.50`, `1.234,50`, `EUR 1234.50`. Payments are found by
        their amount or id, requests by their id. Operators, such as `status:paid`, restrict it to
        documents. If `has_more` is true, use `query` of the document list to find the others.

        Access: any API key or session.
        """
        return Rows(self._client, "/v1/search", {"q": q, "type": type, "limit": limit}, options)

    def stream(
        self,
        last_event_id: str | None = None,
    ) -> Iterator[Record]:
        """Follow the changes of documents and connections.

        Sends server-sent events, for as long as the credential lasts; a tool call returns what has
        changed until now. The `data` of each is `{type, object, id, updated_at}`, the name of a
        change without its content: load what it names as usual. Without `Last-Event-ID` it starts
        now. `resync` means that changes may be missing: load everything again. Changes of
        connections are sent once, without a replay.

        Access: an API key with `documents:read`, or a session.
        """
        return follow_stream(self._client, "/v1/stream", last_event_id)
