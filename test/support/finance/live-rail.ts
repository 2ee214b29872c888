/** The live rail with its stand-in: a payment is under way until a test says what becomes of it. */
import assert from 'node:assert/strict'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { runAndSeal } from '../database/run-and-seal.ts'
import type { FakeStripe } from '../payments/fake-stripe.ts'
import { processorNews } from '../payments/processor-news.ts'
import type { TestService } from '../test-service.ts'
import type { loansClient } from './loans.ts'

export const liveRail = (
  running: TestService,
  fakeStripe: FakeStripe,
  { posted }: ReturnType<typeof loansClient>,
) => ({
  ...processorNews(running, fakeStripe),

  /** Pays a document, and returns its payment, which the rail has under way. */
  paid: async (key: string, document: string): Promise<string> => {
    const { status, payment } = await posted(key, `/v1/documents/${document}/pay`)
    assert.deepEqual([status, payment.status], ['payment_scheduled', 'processing'])
    return payment.id
  },

  /** As if so many days had gone by since the loan was repaid. */
  daysLater: (agreement: string, days: number) =>
    runAndSeal(
      running.database,
      'finance_agreements',
      sql`update finance_agreements
      set repaid_at = repaid_at - make_interval(days => ${days}), due_at = clock_timestamp()
      where id = ${decodeId('agr', agreement)!}`,
    ),
})
