/** Returns that the processor reports while the service learns the reference of their debit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queryable } from '../../../src/database/sql.ts'
import { applyRailEvent } from '../../../src/tasks/rail-events.ts'
import { startFakeStripe } from '../../support/payments/fake-stripe.ts'
import { livePayments } from '../../support/payments/live-payments.ts'
import { startTestService } from '../../support/test-service.ts'

const fakeStripe = await startFakeStripe()
const running = await startTestService(fakeStripe.settings())
const { aProcessorPair, submittedPayment, untilReferenceIsKnown } = livePayments(
  running,
  fakeStripe,
)

test('domain 4.5: a return is sent again if its reference is stored while it is looked for', async () => {
  const pair = await aProcessorPair()
  fakeStripe.faults.push('500 after')
  const { intent } = await submittedPayment(pair)
  const { context } = running.service
  const { read } = context.database
  let readCount = 0
  /** The reference is stored between the second read and what follows it. */
  const interrupted: Queryable = {
    seals: read.seals,
    row: (query) => read.row(query),
    run: (query) => read.run(query),
    rows: async <R>(query: Parameters<Queryable['rows']>[0]): Promise<R[]> => {
      const rows = await read.rows<R>(query)
      readCount += 1
      if (readCount === 2) await untilReferenceIsKnown(intent)
      return rows
    },
  }
  const result = await applyRailEvent(
    { ...context, database: { ...context.database, read: interrupted } },
    'stripe',
    {
      id: 'evt_between',
      payment: undefined,
      reference: intent.id,
      result: { outcome: 'returned', code: 'returned_unauthorized' },
    },
  )
  assert.equal(readCount, 3)
  assert.equal(result, 'early')
})
