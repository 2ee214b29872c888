/** Every state of a listing, an offer and an agreement × every move × every caller (domain 5.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  agreementStatuses,
  listingStatuses,
  offerStatuses,
} from '../../../src/contract/finance-states.ts'
import {
  type AgreementOutcomes,
  type Move,
  assertAgreementMoves,
  assertMoves,
  callers,
} from '../../support/finance/loan-moves.ts'
import { enableFinance, loanParties, loansClient } from '../../support/finance/loans.ts'
import { anOrganization, move } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { posted } = loans

/** Each state has parties of its own, because some states take a jump of a clock. */
const cast = async () => {
  const parties = await loanParties(running)
  const stranger = await anOrganization(running)
  await enableFinance(running, stranger.key)
  return { ...parties, stranger }
}
type Cast = Awaited<ReturnType<typeof cast>>

const advance = ({ key }: { key: string }, advance_by: string) =>
  posted(key, '/v1/sandbox/clock', { advance_by })

interface Listed {
  parties: Cast
  listing: string
  invoice: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a response
  offer: any
}

const listed = async (): Promise<Listed> => {
  const parties = await cast()
  const { id: listing, document_id: invoice } = await loans.listed(parties)
  const path = `/v1/finance/listings/${listing}/offers`
  const offer = await posted(parties.lender.key, path, { kind: 'at_ask' })
  return { parties, listing, invoice, offer }
}

const accept = ({ parties, offer }: Listed) =>
  posted(parties.borrower.key, `/v1/finance/offers/${offer.id}/accept`, loans.acceptanceOf(offer))

type Reach = (from: Listed) => Promise<unknown>

const listingStates: Readonly<Record<string, Reach>> = {
  open: async () => {},
  matched: accept,
  withdrawn: ({ parties, listing }) =>
    posted(parties.borrower.key, `/v1/finance/listings/${listing}/withdraw`),
  expired: ({ parties }) => advance(parties.borrower, 'P15D'),
  invalidated: ({ parties, invoice }) => move(running, parties.debtor.key, invoice, 'disputed'),
}

const offerStates: Readonly<Record<string, Reach>> = {
  open: async () => {},
  accepted: accept,
  declined: ({ parties, offer }) =>
    posted(parties.borrower.key, `/v1/finance/offers/${offer.id}/decline`),
  withdrawn: ({ parties, offer }) =>
    posted(parties.lender.key, `/v1/finance/offers/${offer.id}/withdraw`),
  superseded: ({ parties, listing }) =>
    posted(parties.lender.key, `/v1/finance/listings/${listing}/offers`, { kind: 'at_ask' }),
  expired: ({ parties }) => advance(parties.lender, 'P8D'),
  lapsed: ({ parties, listing }) =>
    posted(parties.borrower.key, `/v1/finance/listings/${listing}/withdraw`),
}

/** Of a move that only one role makes, of a record that both parties read. */
const outcomeFor = (by: Move['by'], role: string, done: string): string =>
  by === 'stranger' ? 'not_found' : by === role ? done : 'illegal_transition'

describe('domain 5.2: moves of a listing', () => {
  for (const [state, reach] of Object.entries(listingStates)) {
    test(`a listing that is ${state}`, async () => {
      const from = await listed()
      await reach(from)
      const path = `/v1/finance/listings/${from.listing}`
      const done = state === 'open' ? 'done' : 'listing_not_open'
      const moves = callers.flatMap((by): Move[] => {
        const outcome = (role: string) => outcomeFor(by, role, done)
        const body = { kind: 'at_ask' }
        return [
          { name: 'withdraw', by, path: `${path}/withdraw`, expected: outcome('borrower') },
          { name: 'offer', by, path: `${path}/offers`, body, expected: outcome('lender') },
        ]
      })
      await assertMoves(running, from.parties, path, { status: state, moves })
    })
  }
})

describe('domain 5.2: moves of an offer', () => {
  for (const [state, reach] of Object.entries(offerStates)) {
    test(`an offer that is ${state}`, async () => {
      const from = await listed()
      await reach(from)
      const path = `/v1/finance/offers/${from.offer.id}`
      const done = state === 'open' ? 'done' : 'offer_not_open'
      const moves = callers.flatMap((by): Move[] => {
        const outcome = (role: string) => outcomeFor(by, role, done)
        const body = loans.acceptanceOf(from.offer)
        return [
          { name: 'accept', by, path: `${path}/accept`, body, expected: outcome('borrower') },
          { name: 'decline', by, path: `${path}/decline`, expected: outcome('borrower') },
          { name: 'withdraw', by, path: `${path}/withdraw`, expected: outcome('lender') },
        ]
      })
      await assertMoves(running, from.parties, path, { status: state, moves })
    })
  }
})

interface AgreementState extends AgreementOutcomes {
  reach(parties: Cast): Promise<{ id: string }>
}

const accepted = async (parties: Cast) => (await loans.accepted(parties)).agreement
const funded = (parties: Cast) => loans.funded(parties)
const notWithdrawable = 'agreement_not_withdrawable'

const agreementStates: Readonly<Record<string, AgreementState>> = {
  accepted: {
    status: 'accepted',
    reach: accepted,
    withdraw: 'done',
    repay: 'not_payable',
    fund: 'done',
  },
  'flagged before it is funded': {
    status: 'flagged',
    reach: async (parties) => {
      const agreement = await accepted(parties)
      await advance(parties.lender, 'P6D')
      return agreement
    },
    withdraw: 'done',
    repay: 'not_payable',
    fund: 'done',
  },
  'flagged since its disbursement was returned': {
    status: 'flagged',
    reach: async (parties) => {
      const agreement = await funded(parties)
      const { key } = parties.lender
      const { payment } = await loans.documentOf(key, agreement.documents.disbursement_id)
      await posted(key, `/v1/sandbox/payments/${payment.id}/simulate`, { outcome: 'return' })
      return agreement
    },
    withdraw: 'done',
    repay: 'not_payable',
    fund: 'done',
  },
  funded: {
    status: 'funded',
    reach: funded,
    withdraw: notWithdrawable,
    repay: 'done',
    fund: 'done',
  },
  'flagged after it is funded': {
    status: 'flagged',
    reach: async (parties) => {
      const agreement = await funded(parties)
      await move(running, parties.debtor.key, agreement.pledged_document_id, 'disputed')
      return agreement
    },
    withdraw: notWithdrawable,
    repay: 'done',
    fund: 'done',
  },
  'closed after it is repaid': {
    status: 'closed',
    reach: async (parties) => {
      const agreement = await funded(parties)
      await posted(parties.borrower.key, `/v1/finance/agreements/${agreement.id}/repayment`)
      return agreement
    },
    withdraw: notWithdrawable,
    repay: 'done',
    fund: 'done',
  },
  'closed by a withdrawal': {
    status: 'closed',
    reach: async (parties) => {
      const agreement = await accepted(parties)
      return posted(parties.lender.key, `/v1/finance/agreements/${agreement.id}/withdraw`)
    },
    withdraw: notWithdrawable,
    repay: 'not_payable',
    fund: 'not_payable',
  },
  'closed because the invoice was paid': {
    status: 'closed',
    reach: async (parties) => {
      const agreement = await accepted(parties)
      await posted(parties.debtor.key, `/v1/documents/${agreement.pledged_document_id}/pay`)
      return agreement
    },
    withdraw: notWithdrawable,
    repay: 'not_payable',
    fund: 'not_payable',
  },
}

describe('domain 5.2: moves of an agreement', () => {
  for (const [name, { status, reach, ...outcomes }] of Object.entries(agreementStates)) {
    test(`an agreement that is ${name}`, async () => {
      const parties = await cast()
      const { id } = await reach(parties)
      await assertAgreementMoves(running, parties, id, { status, ...outcomes })
    })
  }

  test('no state is missing; live-loans.test.ts has the one that only live money reaches', () => {
    assert.deepEqual(Object.keys(listingStates), listingStatuses)
    assert.deepEqual(Object.keys(offerStates), offerStatuses)
    const reached = new Set(Object.values(agreementStates).map(({ status }) => status))
    assert.deepEqual([...reached.add('repaid')].toSorted(), agreementStatuses.toSorted())
  })
})
