/** Provenance 8: a changed row of one borrower refuses nobody else who writes at the same time. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../src/core/ids.ts'
import type { Reply } from '../support/api-client.ts'
import { type LoanParties, askedTerms, loanParties, loansClient } from '../support/finance/loans.ts'
import { asSuperuser } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const loans = loansClient(running)
const { post } = loans
const others = await Promise.all(Array.from({ length: 3 }, () => loanParties(running)))

interface Prepared {
  /** A statement that changes or deletes a row that the write needs. */
  tampering: string
  write(): Promise<Reply>
}

const reference = (issuer_ref: string) => ({ external_refs: { issuer_ref } })

const ofBorrower = ({ borrower }: LoanParties, table: string): string =>
  `${table} where borrower_id = '${borrower.uuid}'`

const changed = (table: string, change: string, condition: string): string =>
  `update ${table} set ${change} where ${condition}`

const listing = async (parties: LoanParties, issuer_ref: string) => {
  const { id } = await loans.invoice(parties, reference(issuer_ref))
  return () =>
    post(parties.borrower.key, '/v1/finance/listings', { document_id: id, terms: askedTerms })
}

const cases: Record<string, (parties: LoanParties) => Promise<Prepared>> = {
  'a near twin that is listed': async (parties) => {
    await loans.listed(parties, {}, reference('Shed 1'))
    const { uuid } = parties.borrower
    return {
      tampering: changed('finance_listings', `notice = 'disclosed'`, `borrower_id = '${uuid}'`),
      write: await listing(parties, 'Shed 2'),
    }
  },
  'the pledge of a near twin': async (parties) => {
    await loans.accepted(parties, {}, reference('Barn 1'))
    const { uuid } = parties.borrower
    const change = `recorded_at = recorded_at + interval '1 s'`
    return {
      tampering: changed('finance_pledges', change, `borrower_id = '${uuid}'`),
      write: await listing(parties, 'Barn 2'),
    }
  },
  'the pledge of a twin, in another mode': async (parties) => {
    await loans.accepted(parties, {}, reference('Boat 1'))
    const { uuid } = parties.borrower
    return {
      tampering: changed('finance_pledges', `mode = 'live'`, `borrower_id = '${uuid}'`),
      // Only the one whose pledge is changed lists a twin: the others would be refused.
      write: await listing(parties, others.includes(parties) ? 'Boat 2' : 'boat 01'),
    }
  },
  'the pledge of a twin, deleted': async (parties) => {
    await loans.accepted(parties, {}, reference('Crane 1'))
    return {
      tampering: `delete from ${ofBorrower(parties, 'finance_pledges')}`,
      write: await listing(parties, others.includes(parties) ? 'Crane 2' : 'crane 01'),
    }
  },
  'an open offer': async (parties) => {
    const { listing_id } = await loans.offered(parties)
    const condition = `listing_id = '${decodeId('lst', listing_id)}'`
    return {
      tampering: changed('finance_offers', `fee_value = fee_value + 1`, condition),
      write: () => post(parties.borrower.key, `/v1/finance/listings/${listing_id}/withdraw`),
    }
  },
  'a payment of the loan': async (parties) => {
    const { pledged_document_id: id, documents } = await loans.funded(parties)
    const condition = `document_id = '${decodeId('doc', documents.disbursement_id)}'`
    return {
      tampering: changed('payments', `method = 'wire'`, condition),
      write: () => post(parties.debtor.key, `/v1/documents/${id}/pay`),
    }
  },
}

describe('a changed row fails the writes that need it, and no other of their batch', () => {
  for (const [what, prepare] of Object.entries(cases)) {
    test(what, async () => {
      const attacked = await prepare(await loanParties(running))
      const beside = await Promise.all(others.map(prepare))
      await asSuperuser(running.database, attacked.tampering)
      const replies = await Promise.all(
        beside.flatMap((other) => [attacked, other, attacked].map(({ write }) => write())),
      )
      for (const [i, { status, text }] of replies.entries()) {
        if (i % 3 === 1) assert(status < 300, text)
        else assert.match(text, /integrity_failure|"code":"conflict"/u)
      }
      assert(replies.some(({ body }) => body.error?.code === 'integrity_failure'))
    })
  }
})
