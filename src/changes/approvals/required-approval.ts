/**
 * Writes that a person has to approve first (contract 12). Such a write is decided as far as it can
 * be refused; then it is refused with what there is to approve, and only that is saved. The same
 * request, sent again after the approval, is decided anew and runs once.
 */
import { type Refusal, keyReused, refuse } from '../../contract/errors.ts'
import { approvalLimits } from '../../contract/approval-limits.ts'
import {
  type ApprovalRow,
  type Requirement,
  approversOf,
  decisionsOf,
  isSatisfied,
  ownRequirement,
  requirementsOf,
  statusOf,
} from '../../core/approvals/approval-decisions.ts'
import { matchingRules, requirementOf, rulesOf } from '../../core/approvals/approval-rules.ts'
import {
  type ApprovalFacts,
  type ApprovalSubject,
  approvalStatement,
  isAbout,
} from '../../core/approvals/approval-statement.ts'
import { exceedsThreshold } from '../../core/approvals/thresholds.ts'
import { consentDigest } from '../../core/consent-digest.ts'
import { later } from '../../core/dates.ts'
import { encodeId } from '../../core/ids.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import { rowVersionOf } from '../../store/identity/row-versions.ts'
import { type ChangeContext, actorForOwnSide } from '../change-context.ts'
import { paidOnDay } from '../payments/payment-limits.ts'

/** What the write pays, or binds to pay. */
export interface Commitment {
  subject: ApprovalSubject
  amount: bigint
  currency: string
  /** On which it is paid. */
  day: string
  /** What the day's sum does not include yet. */
  uncounted: bigint
  payee: string
  /** In words, for whoever decides. */
  summary: string
  /** Null for an offer, which pays no document yet. */
  document_type: string | null
  connection_id: string | null
}

const approvalOf = ({ unit, approvable }: ChangeContext): ApprovalRow | undefined =>
  approvable === null ? undefined : unit.get('approvals', approvable.requestKey)

/** Before anything of the write is decided: refuses unless its approval, if any, is given. */
export const checkApproval = (change: ChangeContext, subject: ApprovalSubject): void => {
  const row = approvalOf(change)
  if (row === undefined) return
  if (!isAsker(change, row)) throw keyReused(encodeId('req', row.request_id), row.created_at)
  const status = statusOf(row, change.unit.now)
  if (status === 'declined') throw refusalOf(change, row, 'approval_declined')
  if (status === 'stale') throw refusalOf(change, row, 'approval_stale')
  if (status === 'expired' || status === 'executed') {
    throw refusalOf(change, row, 'approval_expired')
  }
  if (!isAbout(row.statement, subject)) refuseStale(change, row)
  if (status === 'pending') throw refusalOf(change, row, 'approval_required')
}

/** A key that was rotated meanwhile still asks for the same. */
const isAsker = ({ unit, caller: { actor } }: ChangeContext, row: ApprovalRow): boolean => {
  if (actor.kind === 'user') return row.user_id === actor.user_id
  if (actor.kind === 'system') return false
  return unit.get('keys', actor.key_id)?.root_id === row.key_root_id
}

/**
 * Once all other checks have passed, and before the first change: uses the approval up, or refuses
 * if one is needed.
 */
export const requireApproval = (change: ChangeContext, commitment: Commitment): void => {
  const { unit, approvable } = change
  if (approvable === null) return
  const row = approvalOf(change)
  if (row === undefined) {
    const requirements = requirementsFor(change, commitment)
    if (requirements.length > 0) ask(change, commitment, requirements)
    return
  }
  const stated = JSON.parse(row.statement) as { key_id: string } | { user_id: string }
  const asker = 'key_id' in stated ? { key_id: stated.key_id } : { user_id: stated.user_id }
  const now = approvalStatement({ ...factsOf(change, commitment), ...asked(row), asker })
  if (now !== row.statement) refuseStale(change, row)
  const { approverRoles } = approvable
  if (!isSatisfied(requirementsOf(row), decisionsOf(row), approverRoles)) refuseStale(change, row)
  unit.save('approvals', { ...row, status: 'executed', ended_at: unit.now })
}

const asked = ({ id, expires_at }: ApprovalRow) => ({ id, expiresAt: expires_at })

/** The approval that this write has used, as the history of its document records it. */
export const usedApproval = (change: ChangeContext): object | null => {
  const row = approvalOf(change)
  if (row?.status !== 'executed') return null
  const approved_by = approversOf(row).map((user) => encodeId('usr', user))
  return { id: encodeId('apr', row.id), digest: row.digest, approved_by }
}

/** The rules that match say who approves what a session does, or a key that has to ask. */
const requirementsFor = (change: ChangeContext, commitment: Commitment): Requirement[] => {
  const { unit, caller, approvable } = change
  const { actor } = caller
  if (actor.kind === 'system') return []
  if (actor.kind === 'api_key' && !hasToAsk(unit, actor.key_id, commitment)) return []
  const rules = rulesOf(unit.get('approval_rule_sets', actor.organization_id))
  const { operation } = approvable!
  const requirements = matchingRules(rules, { operation, ...commitment }).map(requirementOf)
  return requirements.length === 0 && actor.kind === 'api_key' ? [ownRequirement] : requirements
}

const hasToAsk = (
  unit: UnitOfWork,
  keyId: string,
  { currency, day, uncounted }: Commitment,
): boolean => {
  const key = unit.get('keys', keyId)!
  const { requires_approval_above: thresholds } = key
  const exceeds = (text: string) =>
    exceedsThreshold(text, currency, paidOnDay(unit, key, { currency, day }) + uncounted)
  return key.requires_approval || (thresholds !== null && exceeds(thresholds))
}

const factsOf = (
  { caller: { actor }, approvable }: ChangeContext,
  { subject, amount, currency, payee }: Commitment,
): Omit<ApprovalFacts, 'id' | 'asker' | 'expiresAt'> => {
  const { operation, path, body } = approvable!
  const organization = actor.kind === 'system' ? '' : actor.organization_id
  return { organization, operation, path, body, subject, amount, currency, payee }
}

const ask = (
  change: ChangeContext,
  commitment: Commitment,
  requirements: readonly Requirement[],
): never => {
  const { unit, caller, approvable } = change
  const { actor } = caller
  if (actor.kind === 'system') throw new Error('the service asks nobody')
  if (approvable!.askedToday >= approvalLimits.approvalsPerDayMax) throw tooManyApprovals()
  const asker =
    actor.kind === 'api_key'
      ? {
          key_id: actor.key_id,
          key_root_id: unit.get('keys', actor.key_id)!.root_id,
          user_id: null,
        }
      : { key_id: null, key_root_id: null, user_id: actor.user_id }
  const id = unit.newId()
  const expires_at = later(unit.now, approvalLimits.approvalLifetimeMs)
  const statement = approvalStatement({
    ...factsOf(change, commitment),
    id,
    expiresAt: expires_at,
    asker: actorForOwnSide(actor)!,
  })
  const row: ApprovalRow = {
    id,
    organization_id: actor.organization_id,
    request_key: approvable!.requestKey,
    request_id: caller.requestId,
    ...asker,
    statement,
    digest: consentDigest(statement),
    summary: commitment.summary,
    requirements: JSON.stringify(requirements),
    decisions: '[]',
    status: 'pending',
    created_at: unit.now,
    expires_at,
    ended_at: null,
    last_state_at: null,
    version: rowVersionOf(unit.get('organizations', actor.organization_id)!, 'approvals'),
  }
  const refusal = refusalOf(change, row, 'approval_required')
  return unit.refuseAndRemember(
    refusal,
    (after) => after.save('approvals', row),
    encodeId('apr', id),
  )
}

const refuseStale = (change: ChangeContext, row: ApprovalRow): never => {
  const stale: ApprovalRow = { ...row, status: 'stale', ended_at: change.unit.now }
  return change.unit.refuseAndRemember(refusalOf(change, row, 'approval_stale'), (after) =>
    after.save('approvals', stale),
  )
}

const messages = {
  approval_required: 'A person has to approve this first; then send the same request again.',
  approval_stale:
    'What was to be approved has changed, or who approved it may not any more. Ask again with a new Idempotency-Key.',
  approval_declined: 'A person has declined this.',
  approval_expired: 'The approval has expired or was used. Ask again with a new Idempotency-Key.',
} as const

/** A dry run has stored nothing, so there is nothing yet that could be approved. */
const refusalOf = (
  { caller, approvable }: ChangeContext,
  row: ApprovalRow,
  reason: keyof typeof messages,
): Refusal => {
  const id = encodeId('apr', row.id)
  const isStored = !caller.dryRun || row.request_id !== caller.requestId
  const { digest, summary, expires_at } = row
  const approval = isStored
    ? { id, digest, summary, expires_at, ...addressesOf(approvable!.baseUrl, row) }
    : { id: null, digest: null, summary, expires_at: null, url: null, page: null }
  return refuse('conflict', messages[reason], { reason, approval })
}

/** For a program with a credential, and for a person, who signs in there. */
const addressesOf = (baseUrl: string, row: Pick<ApprovalRow, 'id' | 'organization_id'>) => {
  const id = encodeId('apr', row.id)
  const organization = encodeId('org', row.organization_id)
  return {
    url: `${baseUrl}/v1/approvals/${id}`,
    page: `${baseUrl}/app/o/${organization}/approvals?approval=${id}`,
  }
}

const tooManyApprovals = (): Refusal =>
  refuse(
    'conflict',
    `The organization has asked for ${approvalLimits.approvalsPerDayMax} approvals within a day.`,
    { reason: 'too_many_approvals' },
  )
