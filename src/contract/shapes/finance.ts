/** Setup, listings and offers of the finance family (domain 5.2). */
import { type Static, Type } from 'typebox'
import { listingStatuses, offerStatuses } from '../finance-states.ts'
import { limits } from '../limits.ts'
import { CommaList, InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'
import { DateOrTimestamp, Id, Money, Nullable, StringEnum, Timestamp } from './field-types.ts'
import {
  Collateral,
  Disclosure,
  DuplicateWarning,
  FinanceParty,
  FinanceRole,
  LoanTermsInput,
  Notice,
  Terms,
  UntilWhen,
} from './finance-terms.ts'

export const FinanceSetupUpdate = InputObject(
  {
    borrower: Type.Optional(
      InputObject(
        {
          enabled: Type.Boolean({ description: 'Whether to list invoices and accept offers.' }),
          settlement_account_id: Type.Optional(
            Id('acct', 'One of your settlement accounts, which sweeps debit.'),
          ),
        },
        'The organization as a borrower.',
      ),
    ),
    lender: Type.Optional(
      InputObject(
        {
          enabled: Type.Boolean({ description: 'Whether to make offers.' }),
          funding_account_id: Type.Optional(
            Id('acct', 'One of your funding accounts, which pays out loans and gets them back.'),
          ),
          max_principal: Type.Optional(
            Nullable(
              Type.Number({ description: 'The highest principal of an offer; null means none.' }),
            ),
          ),
        },
        'The organization as a lender.',
      ),
    ),
  },
  'The roles to change. A role that is left out stays as it is.',
)
export type FinanceSetupUpdate = Static<typeof FinanceSetupUpdate>

const financeBlockers = [
  ...(['verification', 'borrower_setup', 'lender_setup'] as const),
  ...(['payer_processor', 'payee_processor'] as const),
] as const
export type FinanceBlocker = (typeof financeBlockers)[number]

export const FinanceSetup = OutputObject(
  {
    borrower: OutputObject(
      {
        enabled: Type.Boolean(),
        settlement_account_id: Nullable(Id('acct', 'The account that sweeps debit.')),
      },
      'The organization as a borrower.',
    ),
    lender: OutputObject(
      {
        enabled: Type.Boolean(),
        funding_account_id: Nullable(Id('acct', 'The account that pays out and is repaid.')),
        max_principal: Nullable(Money('The highest principal of an offer.')),
      },
      'The organization as a lender.',
    ),
    verified: Type.Boolean(),
    eligible_as_borrower: Type.Boolean(),
    eligible_as_lender: Type.Boolean(),
    blockers: Type.Array(StringEnum(financeBlockers, 'What is missing.')),
    updated_at: Nullable(Timestamp('When it last changed; null before it is set up.')),
  },
  'Whether and how the organization borrows and lends.',
)

const listingScenarios = [
  ...(['offer_at_ask', 'counter', 'offer_and_fund', 'debtor_pays_late'] as const),
  ...(['never_funds', 'offer_no_funding', 'silent'] as const),
] as const
export type ListingScenario = (typeof listingScenarios)[number]

const demoListingScenarios = ['accept', 'decline', 'manual'] as const
export type DemoListingScenario = (typeof demoListingScenarios)[number]

export const ListingCreate = InputObject(
  {
    document_id: Id('doc', 'An approved invoice that you have issued.'),
    terms: LoanTermsInput,
    notice: Type.Optional(Notice),
    expires_at: UntilWhen(
      `By your organization's clock; ${limits.listingDefaultDays} days from now by default, at most ${limits.listingMaxDays}.`,
    ),
    sandbox_scenario: Type.Optional(
      StringEnum(listingScenarios, 'What your demo counterparty does with it (sandbox only).'),
    ),
  },
  'An invoice against which to borrow, and the terms that are asked for.',
)
export type ListingCreate = Static<typeof ListingCreate>

export const DemoListing = InputObject(
  {
    document_id: Type.Optional(
      Id('doc', 'A bill from it that you have approved; the newest one by default.'),
    ),
    terms: Type.Optional(LoanTermsInput),
    notice: Type.Optional(Notice),
    scenario: Type.Optional(
      StringEnum(demoListingScenarios, 'What it does about the first offer.'),
    ),
  },
  'The invoice against which the simulated counterparty asks for a loan.',
)
export type DemoListing = Static<typeof DemoListing>

export const Listing = OutputObject(
  {
    id: Id('lst', 'The listing.'),
    role: FinanceRole,
    status: StringEnum(listingStatuses, 'The current status.'),
    borrower: FinanceParty,
    document_id: Type.Optional(Id('doc', 'The invoice (borrower only).')),
    collateral: Collateral,
    terms: Terms,
    notice: Notice,
    duplicate_warning: DuplicateWarning,
    expires_at: Timestamp("When it ends by the borrower's clock."),
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it last changed.'),
  },
  'An invoice against which its issuer asks for a loan.',
)
export type Listing = Static<typeof Listing>

export const ListingPage = PageOf(Listing, 'Listings, newest first.')

const financeFilters = {
  ...pageParameters,
  role: Type.Optional(FinanceRole),
  updated_since: Type.Optional(DateOrTimestamp('Changed at or after this time.')),
}

export const ListingFilters = InputObject(
  {
    ...financeFilters,
    status: Type.Optional(CommaList(StringEnum(listingStatuses, 'A status.'), 'Statuses.')),
  },
  'Filters of the listings.',
)
export type ListingFilters = Static<typeof ListingFilters>

export const OfferCreate = InputObject(
  {
    kind: StringEnum(['at_ask', 'counter'], 'At the terms of the listing, or at others.'),
    terms: Type.Optional(LoanTermsInput),
    expires_at: UntilWhen(
      `By your organization's clock; ${limits.offerDefaultDays} days from now by default, and not after the listing.`,
    ),
  },
  'An offer. `terms` is required for a counter and not allowed at the ask.',
)
export type OfferCreate = Static<typeof OfferCreate>

const StandingAuthorization = OutputObject(
  {
    digest: Type.String({
      description: 'SHA-256 of the canonical form, which the borrower repeats to accept.',
      examples: [`sha256:${'a8'.repeat(32)}`],
    }),
    document: Type.Unsafe<object>({
      type: 'object',
      description:
        'What the borrower authorizes. Its exact bytes: GET /v1/finance/offers/{id}/authorization.',
    }),
  },
  'What accepting the offer authorizes, frozen when the offer was made.',
)

export const Offer = OutputObject(
  {
    id: Id('ofr', 'The offer.'),
    listing_id: Id('lst', 'The listing.'),
    role: FinanceRole,
    kind: StringEnum(['at_ask', 'counter'], 'At the terms of the listing, or at others.'),
    status: StringEnum(offerStatuses, 'The current status.'),
    lender: FinanceParty,
    borrower: FinanceParty,
    terms: Terms,
    disclosure: Disclosure,
    standing_authorization: StandingAuthorization,
    expires_at: Timestamp("When it ends by the lender's clock."),
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it last changed.'),
  },
  'An offer of a lender for a listing.',
)
export type Offer = Static<typeof Offer>

export const OfferPage = PageOf(Offer, 'Offers, newest first.')

export const OfferFilters = InputObject(
  {
    ...financeFilters,
    listing: Type.Optional(CommaList(Id('lst', 'A listing.'), 'Listings.')),
    status: Type.Optional(CommaList(StringEnum(offerStatuses, 'A status.'), 'Statuses.')),
  },
  'Filters of the offers.',
)
export type OfferFilters = Static<typeof OfferFilters>

export const Authorization = Type.Unsafe<object>({
  type: 'object',
  description: 'The standing authorization, in its canonical form (RFC 8785).',
})
