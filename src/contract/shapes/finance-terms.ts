/** What listings, offers and agreements have in common (domain 5). */
import { type Static, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { limits } from '../limits.ts'
import { DateOnly, Money, Nullable, StringEnum, Timestamp, Id } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

const feeType = StringEnum(['flat', 'bps'], 'A sum of money, or basis points of the principal.')

const GraceDays = Type.Integer({
  minimum: 0,
  maximum: limits.graceMaxDays,
  description: 'Days after the due date before the repayment counts as overdue.',
})

export const LoanTermsInput = InputObject(
  {
    principal: Type.Number({ description: 'What the lender pays out. Major units.' }),
    fee: InputObject(
      {
        type: feeType,
        value: Type.Number({
          minimum: 0,
          description: 'Major units for `flat`, 0 to 10000 for `bps`.',
        }),
      },
      'The fixed fee, which is paid with the repayment.',
    ),
    grace_days: GraceDays,
  },
  'The terms of a loan.',
)
export type LoanTermsInput = Static<typeof LoanTermsInput>

export const Terms = OutputObject(
  {
    principal: Money('What the lender pays out.'),
    fee: OutputObject(
      { type: feeType, value: Type.Number({ description: 'Major units, or basis points.' }) },
      'The fixed fee.',
    ),
    grace_days: Type.Integer(),
    currency: StringEnum(currencies, 'That of the invoice.'),
    fee_amount: Money('The fee.'),
    total_repayable: Money('Principal + fee.'),
    due_date: DateOnly('That of the invoice.'),
    flag_after: DateOnly('The due date and the days of grace.'),
  },
  'The terms, with what follows from them.',
)

/** What a lender learns of the invoice. */
export const Collateral = OutputObject(
  {
    currency: StringEnum(currencies, 'ISO 4217.'),
    balance_due: Money('What is still to be paid on the invoice.'),
    due_date: DateOnly('When the invoice is due.'),
    status: Type.String({ description: 'The status of the invoice.' }),
  },
  'The invoice as a lender may see it.',
)

export const DuplicateWarning = OutputObject(
  {
    matches: Type.Integer({
      description: `Live listings of similar invoices: two of reference, total and date (within 7 days) agree. At most ${limits.nearTwinsComparedMax} are counted.`,
    }),
  },
  'How many invoices of the same parties and currency look like this one.',
)

export const Notice = StringEnum(
  ['undisclosed', 'disclosed'],
  'Whether the debtor is told that the invoice is assigned and released.',
)

export const Disclosure = OutputObject(
  {
    amount_provided: Money('What the borrower receives.'),
    finance_charge: Money('The fee.'),
    total_repayable: Money('What the borrower repays.'),
    term_days: Type.Integer({
      description: 'From the day of the offer to the due date; at least 1.',
    }),
    annualized_cost: Type.Number({
      description:
        'Fee / principal × 365 / term_days, with 4 decimals, half to even: 0.2534 is 25.34 %.',
    }),
    prepayment: StringEnum(['no_rebate'], 'The fee is the same after an early repayment.'),
    security: StringEnum(['pledge of one receivable'], 'What secures the loan.'),
    recourse: StringEnum(['full'], 'The borrower owes the rest if the invoice pays less.'),
  },
  'The cost of the loan, which is part of what the borrower accepts.',
)

export const FinanceParty = OutputObject(
  { organization_id: Id('org', 'The organization.'), name: Type.String() },
  'A party of the loan.',
)

export const FinanceRole = StringEnum(['borrower', 'lender'], "The caller's role.")

export const UntilWhen = (description: string) =>
  Type.Optional(Type.String({ format: 'date-or-time', description }))

export const NullableTime = (description: string) => Nullable(Timestamp(description))
