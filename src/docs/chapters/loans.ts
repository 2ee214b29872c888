/** Loans against approved invoices, from the listing to the sweep (domain 5). */
import {
  type FinanceMove,
  agreementStatuses,
  flagCodes,
  listingMoves,
  offerMoves,
} from '../../contract/finance-states.ts'
import { limits } from '../../contract/limits.ts'
import { authority } from '../../core/finance/standing-authorization.ts'
import { type Section, codeSpan, json, list, steps, table, text } from '../blocks.ts'

const rowsOf = (object: string, moves: readonly FinanceMove[]): string[][] =>
  moves.map(({ to, by, when }) => [object, codeSpan(to), by, when])

export const loans: Section = {
  id: 'loans',
  title: 'Loans',
  blocks: [
    text(
      'A verified organization can borrow against an invoice that its debtor has approved, from a verified organization to which it is connected. When the debtor pays the invoice through the service, the lender is repaid from the proceeds. Both sides first call `PUT /v1/finance/setup`, and in live are connected to the payment processor; the two sides of a practice pair are set up already.',
    ),
    steps(
      'The borrower **lists** the invoice with the terms that it asks for: `POST /v1/finance/listings`. Lenders learn its currency, balance, due date and status, and in `duplicate_warning` how many similar invoices are listed or pledged. They do not see the invoice itself.',
      'A lender **offers** a loan at the ask, or counters with other terms: `POST /v1/finance/listings/{id}/offers`. An offer never changes; the next one of the same lender supersedes it. `disclosure` states what the loan costs.',
      'The borrower **accepts** one offer by repeating `standing_authorization.digest` as `authorization_digest`: `POST /v1/finance/offers/{id}/accept`. The exact bytes are at `GET /v1/finance/offers/{id}/authorization`. In the same step the invoice is pledged, the other offers lapse, and the three documents of the loan exist: the agreement (`FIN-`), the disbursement (`DSB-`) and the repayment (`RPY-`), which both parties read at `/v1/documents`.',
      `The lender **pays the disbursement** within ${limits.fundingDays} days, like any document. Now the repayment is payable, and \`amount_owed\` is principal and fee.`,
      'When the debtor **pays the invoice**, `min(proceeds, amount_owed − amount_in_flight)` moves from the borrower’s settlement account to the lender’s funding account in the same transaction: the sweep. The borrower can also repay earlier, or what is left: `POST /v1/finance/agreements/{id}/repayment`.',
      'Once nothing is owed, the pledge is released and the agreement is **closed**, in live money when the last repayment can no longer be returned.',
    ),
    list(
      'Either party can withdraw from an agreement that was never funded: `POST /v1/finance/agreements/{id}/withdraw`. If nothing is left to be paid on the invoice before the loan is funded, because it was paid, credited in full or rejected, the agreement is closed as `collateral_settled`; a disbursement under way is awaited.',
      'A disbursement that is merely scheduled is cancelled when the invoice is disputed, or less is left to be paid on it than will be owed: the lender decides again.',
      'Nothing but the sweep moves by itself. It happens once for each settled payment of the invoice, on the same rail, and is not tried again. A repayment that is merely scheduled makes room for it; one under way counts as `amount_in_flight`.',
      'A pledge ends once. When the bank returns a repayment after everything was repaid, it is owed again and the agreement is `flagged`, but the invoice secures it no more: nothing is swept from it, and the borrower repays as before.',
      'The `payment_limits` of a key count what the key itself pays: disbursements, repayments and every other document. They never hold up a sweep, which no key initiates: the borrower has authorized it by accepting the offer.',
      'In `GET /v1/payments` these payments have the `kind` `disbursement`, `repayment` or `sweep`, and name the `agreement_id`. In `GET /v1/treasury/transactions` the `payment_kind` says the same.',
      'One receivable is pledged once. An invoice with the same parties, reference, currency, total and date as a pledged one is its twin, however the reference is written and whatever was credited or cancelled and issued again; it is refused with `already_pledged`.',
      'With `notice: "disclosed"` the debtor’s bill says that it is assigned and released, but neither to whom nor why. Otherwise the debtor sees nothing.',
      'Both parties can keep a proof of the pledge, and [verify it](#provenance) without this service: `GET /v1/finance/agreements/{id}/export`.',
      'When the bank returns the disbursement after a sweep, nothing more is owed until the lender pays again, and what was swept is still the borrower’s: neither party can withdraw, and the agreement stays `flagged`. If nothing is left to be paid on the invoice either, its pledge is released. The loan ends when the lender has paid again and is repaid, or when the sweep is returned or refunded, too: then the agreement is closed as `collateral_settled`.',
      'A closed agreement is final. When a payment of the disbursement or the repayment is returned later, that document can be paid again, but the agreement stays closed, with the sums of its end. A sandbox closes a repaid loan at once, so that there every return after the last repayment comes too late to flag it.',
    ),
  ],
  sections: [
    {
      id: 'loan-listings-and-offers',
      title: 'Listings and offers',
      blocks: [
        text(
          `A listing is \`open\` for ${limits.listingDefaultDays} days unless it says otherwise, an offer for ${limits.offerDefaultDays}. A move from any other state is refused with \`listing_not_open\` or \`offer_not_open\`.`,
        ),
        table(
          ['Object', 'To', 'By', 'When'],
          [...rowsOf('listing', listingMoves), ...rowsOf('offer', offerMoves)],
        ),
      ],
    },
    {
      id: 'loan-authorization',
      title: 'What accepting authorizes',
      blocks: [
        text(
          '`standing_authorization` of an offer is `document` and `digest`: `sha256:` and the lower-case hex of the SHA-256 of the document’s canonical form (RFC 8785, UTF-8). It is fixed when the offer is made, so a borrower can build it from what it knows and compare. Version 2 has these members and no others. Amounts are texts with two decimals, like `"10250.00"`.',
        ),
        table(
          ['Member', 'What it holds'],
          [
            ['`authority`', 'What the sweep may do; always the text below.'],
            ['`borrower`', '`organization_id`, and the `settlement_account_id` in the currency.'],
            ['`lender`', '`organization_id`, and the `funding_account_id` in the currency.'],
            ['`listing_id`, `offer_id`', 'Of the listing and the offer.'],
            ['`expires_at`', 'Of the offer.'],
            ['`notice`', 'Of the listing.'],
            ['`duplicate_warning`', '`matches` of the listing when the offer was made.'],
            [
              '`pledge`',
              '`document_id`, `issuer_number`, `currency` and `due_date` of the invoice, and its `balance_due` when the offer was made.',
            ],
            [
              '`terms`',
              '`currency`, `due_date`, `flag_after`, `principal` and `total_repayable`; `grace_days`, a number; and `fee` with `amount`, `type` and `value`, a text: an amount, or whole basis points.',
            ],
            [
              '`disclosure`',
              '`amount_provided`, `finance_charge`, `total_repayable`, `prepayment`, `security` and `recourse` of the offer; `term_days`, a number; and `annualized_cost`, a text with four decimals.',
            ],
            ['`type`, `version`', '`"finance.standing_authorization"`, and the number 2.'],
          ],
        ),
        json({ authority }),
        list(
          'A fee in basis points is `principal × value / 10000`, where half a cent is rounded up.',
          '`term_days` are the days from the date of the offer, by the lender’s clock, to the due date, and at least 1.',
          '`annualized_cost` is `finance_charge / principal × 365 / term_days`, where a tie is rounded to the even neighbour.',
        ),
      ],
    },
    {
      id: 'loan-flags',
      title: 'Agreements and flags',
      blocks: [
        text(
          `An agreement is one of ${agreementStatuses.map(codeSpan).join(', ')}. It is \`flagged\` while anything below holds, and \`flag\` names the latest code. Each code is told once, as \`finance.agreement.flagged\`; when its cause is gone, \`cured_at\` is set and the status returns to what it was.`,
        ),
        table(
          ['Code', 'Raised when', 'Cured when'],
          Object.entries(flagCodes).map(([code, { meaning, cure }]) => [
            codeSpan(code),
            meaning,
            cure,
          ]),
        ),
      ],
    },
  ],
}
