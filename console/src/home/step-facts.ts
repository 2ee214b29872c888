/** What an organization has done already, as far as its data shows it. */
import { useParties } from '../api/parties.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord, FinanceSetup, Key, Page as Rows, Webhook } from '../api/types.ts'
import { useMarkedSteps } from './marked-steps.ts'
import { useIsNew } from './newcomer.ts'
import { useHasSettled } from './payment-reads.ts'

export type StepFact =
  | 'session'
  | 'key'
  | 'call'
  | 'issued'
  | 'agreed'
  | 'settled'
  | 'webhook'
  | 'signature'
  | 'proof'
  | 'partner'
  | 'live'

const agreedPhases = ['accepted', 'paying', 'settled']

/**
 * Undefined until all of it is known. It costs Home as few calls as it can: without a document there
 * is nothing to ask about documents and payments, and whoever has traded live has a partner.
 */
export const useStepFacts = (): Record<StepFact, boolean> | undefined => {
  const { organization, scopes } = useSession()
  const isSandbox = organization.mode === 'sandbox'
  const marked = useMarkedSteps()
  const isNew = useIsNew()
  const hasDocuments = isNew === false
  const keys = useRead<Rows<Key>>('/v1/keys', { limit: 100 }).data?.data
  const webhooks = useRead<Rows<Webhook>>('/v1/webhooks', { limit: 100 }).data?.data
  const asksPartners = isSandbox || isNew === true
  const parties = useParties({ isEnabled: asksPartners }).data
  const issued = useIssued(hasDocuments)
  const settled = useHasSettled(hasDocuments)
  const hasSettled = isNew === true ? false : settled
  // An unverified organization has no treasury; money that has moved proves the rest.
  const isVerified = scopes.includes('treasury:read')
  const setup = useRead<FinanceSetup>(
    '/v1/finance/setup',
    {},
    { isEnabled: !isSandbox && isVerified && hasSettled === false },
  )
  const lacksProcessor = setup.data?.blockers.some((name) => name.endsWith('_processor'))
  const isLive = isVerified && (hasSettled === true || lacksProcessor === false)
  const isLiveKnown =
    isSandbox || !isVerified || hasSettled === true || !setup.isPending || setup.isError
  if (marked === undefined || isNew === undefined || hasSettled === undefined) return undefined
  if (!keys || !webhooks || issued === undefined || !isLiveKnown) return undefined
  if (asksPartners && parties === undefined) return undefined
  const active = parties?.filter((one) => one.isActive).length ?? 0
  return {
    session: true,
    key: keys.length > 0,
    call: keys.some(({ last_used_at }) => last_used_at !== null),
    ...issued,
    settled: hasSettled,
    webhook: webhooks.some(({ last_success_at }) => last_success_at !== null),
    signature: marked.signature_verified,
    proof: marked.proof_verified,
    // The demo counterparty of a sandbox is no partner.
    partner: asksPartners ? active > (isSandbox ? 1 : 0) : true,
    live: isLive,
  }
}

const noDraft = { direction: 'issued', phase: 'pending,accepted,paying,settled,disputed,closed' }

/** Whether a document was issued, and whether the other side has agreed to one. */
const useIssued = (hasDocuments: boolean) => {
  const path = '/v1/documents'
  const newest = useRead<Rows<DocumentRecord>>(
    path,
    { ...noDraft, limit: 100, fields: 'phase' },
    { isEnabled: hasDocuments },
  ).data
  const isToldAgreed = newest?.data.some(({ phase }) => agreedPhases.includes(phase)) ?? false
  const isOpen = newest?.has_more === true && !isToldAgreed
  const older = useRead<Rows<DocumentRecord>>(
    path,
    { ...noDraft, phase: agreedPhases.join(','), limit: 1, fields: 'id' },
    { isEnabled: hasDocuments && isOpen },
  ).data
  if (!hasDocuments) return { issued: false, agreed: false }
  if (newest === undefined || (isOpen && older === undefined)) return undefined
  const agreed = isToldAgreed || (older !== undefined && older.data.length > 0)
  return { issued: newest.data.length > 0, agreed }
}
