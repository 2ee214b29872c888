/** Connects an organization to the processor, with accounts that name it. */
import { connectProcessor } from '../../../src/store/payments/processors.ts'
import type { TestOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

export const connectTestProcessor = (
  { database }: Pick<TestService, 'database'>,
  { uuid }: TestOrganization,
): Promise<unknown> =>
  connectProcessor(database, uuid, {
    customer: `cus_${uuid}`,
    paymentMethods: '{"USD":"pm_usd"}',
    payout: `acct_${uuid}`,
  })
