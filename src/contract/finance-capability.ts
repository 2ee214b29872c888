/** The refusal of an organization that cannot borrow or lend yet (domain 5.1). */
import { refuse } from './errors.ts'
import type { FinanceBlocker } from './shapes/finance.ts'

export const notCapable = (
  reason: 'organization_unverified' | 'not_set_up' | 'processor_not_connected',
  blockers: readonly FinanceBlocker[],
): Error =>
  refuse(
    'capability_unavailable',
    {
      organization_unverified: 'Loans are for verified organizations only.',
      not_set_up: 'Loans need PUT /v1/finance/setup first, with this role enabled.',
      processor_not_connected:
        'Live loans need the payment processor, to pay in their currency and to be paid.',
    }[reason],
    { capability: 'finance', reason, blockers },
  )
