"""Builds the standing authorization of an offer, version 2, and its digest from what the API shows.

It follows "What accepting authorizes" in the docs, shares no code with the service and needs nothing
but Python. One JSON object per line in, `[text, digest]` per line out. An object has `offer`,
`listing`, `invoice` as the borrower reads them, `settlement_account_id`, `funding_account_id`, and
`today`: the date by the lender's clock when it made the offer. An object with `document` alone is
written canonically as it is.
"""
import datetime
import decimal
import fractions
import hashlib
import json
import sys

AUTHORITY = {
    "amount": "min(proceeds,amount_owed)",
    "attempts_per_settlement": 1,
    "credit": "lender.funding_account_id",
    "debit": "borrower.settlement_account_id",
    "ends": "amount_owed_zero_or_agreement_closed",
    "rail": "same_as_trigger",
    "trigger": "pledged_invoice_settled",
}


def cents(amount):
    return int(decimal.Decimal(amount) * 100)


def money(minor):
    return "%d.%02d" % divmod(minor, 100)


def fee_cents(terms):
    """Half a cent is rounded up."""
    value = decimal.Decimal(terms["fee"]["value"])
    if terms["fee"]["type"] == "flat":
        return cents(value)
    exact = fractions.Fraction(cents(terms["principal"])) * fractions.Fraction(value) / 10000
    return (exact + fractions.Fraction(1, 2)).__floor__()


def cost_text(principal, fee, days):
    """Four decimals; a tie goes to the even neighbour, as round() has it."""
    return "%d.%04d" % divmod(round(fractions.Fraction(fee * 365 * 10000, principal * days)), 10000)


def days_between(first, second):
    return (datetime.date.fromisoformat(second) - datetime.date.fromisoformat(first)).days


def days_after(date, days):
    return (datetime.date.fromisoformat(date) + datetime.timedelta(days=days)).isoformat()


def terms_of(terms, due_date, currency):
    kind = terms["fee"]["type"]
    value = terms["fee"]["value"]
    principal, fee = cents(terms["principal"]), fee_cents(terms)
    return {
        "currency": currency,
        "due_date": due_date,
        "fee": {
            "amount": money(fee),
            "type": kind,
            "value": str(int(value)) if kind == "bps" else money(cents(value)),
        },
        "flag_after": days_after(due_date, terms["grace_days"]),
        "grace_days": terms["grace_days"],
        "principal": money(principal),
        "total_repayable": money(principal + fee),
    }


def disclosure_of(terms, due_date, today):
    principal, fee = cents(terms["principal"]), fee_cents(terms)
    days = max(1, days_between(today, due_date))
    return {
        "amount_provided": money(principal),
        "annualized_cost": cost_text(principal, fee, days),
        "finance_charge": money(fee),
        "prepayment": "no_rebate",
        "recourse": "full",
        "security": "pledge of one receivable",
        "term_days": days,
        "total_repayable": money(principal + fee),
    }


def authorization(facts):
    offer, listing, invoice = facts["offer"], facts["listing"], facts["invoice"]
    due_date = invoice["due_date"]
    return {
        "authority": AUTHORITY,
        "borrower": {
            "organization_id": offer["borrower"]["organization_id"],
            "settlement_account_id": facts["settlement_account_id"],
        },
        "disclosure": disclosure_of(offer["terms"], due_date, facts["today"]),
        "duplicate_warning": {"matches": listing["duplicate_warning"]["matches"]},
        "expires_at": offer["expires_at"],
        "lender": {
            "funding_account_id": facts["funding_account_id"],
            "organization_id": offer["lender"]["organization_id"],
        },
        "listing_id": listing["id"],
        "notice": listing["notice"],
        "offer_id": offer["id"],
        "pledge": {
            "balance_due": money(cents(invoice["balance_due"])),
            "currency": invoice["currency"],
            "document_id": invoice["id"],
            "due_date": due_date,
            "issuer_number": invoice["issuer_number"],
        },
        "terms": terms_of(offer["terms"], due_date, invoice["currency"]),
        "type": "finance.standing_authorization",
        "version": 2,
    }


def canonical(value):
    """RFC 8785 of integers, and of texts and keys in ASCII, of which the authorization consists."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


for line in sys.stdin:
    given = json.loads(line, parse_float=decimal.Decimal)
    text = canonical(given["document"] if "document" in given else authorization(given))
    digest = "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
    print(json.dumps([text, digest]))
