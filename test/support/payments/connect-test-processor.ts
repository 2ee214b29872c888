/** Connects an organization to the processor, with accounts of that name, or named after it. */
import { inTransaction } from '../../../src/database/transactions.ts'
import { connectProcessor } from '../../../src/store/payments/processors.ts'
import type { TestOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

export const connectTestProcessor = (
  { database }: Pick<TestService, 'database'>,
  { uuid }: Pick<TestOrganization, 'uuid'>,
  name = uuid,
  paymentMethods = '{"USD":"pm_usd","EUR":"pm_eur"}',
): Promise<unknown> =>
  inTransaction(database, (tx) =>
    connectProcessor(tx, uuid, { customer: `cus_${name}`, paymentMethods, payout: `acct_${name}` }),
  )
