/**
 * A person approves or declines (contract 12). Four eyes: never who asked, nor who made the key
 * that asked. Under the lock of the approval, which the write that uses it takes as well.
 */
import { approvalLimits } from '../../contract/approval-limits.ts'
import { type Refusal, refuse } from '../../contract/errors.ts'
import {
  type ApprovalDecision,
  type ApprovalRow,
  approversOf,
  decisionsOf,
  isSatisfied,
  requirementsOf,
  statusOf,
  type WhyNotToDecide,
  whyNotToDecide,
} from '../../core/approvals/approval-decisions.ts'
import type { Role } from '../../contract/roles.ts'
import { isSameDigest } from '../../core/consent-digest.ts'
import { encodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import {
  approvalForUpdate,
  approvalsOf,
  keyMakersOf,
  saveDecision,
} from '../../store/approvals/approvals.ts'
import { countEndOfApprovals, lockOpenApprovals } from '../../store/approvals/approval-versions.ts'
import { rolesOf } from '../../store/identity/members.ts'
import { notFoundOrIsolated } from '../identity/sandbox-isolation.ts'

export interface Decider {
  organization: string
  user: string
  role: Role
  address: string
}

export const approve = async (
  tx: Queryable,
  by: Decider,
  id: string,
  digest: string,
): Promise<ApprovalRow> => {
  const { row, decisions, now } = await approvalToDecide(tx, by, id)
  if (!isSameDigest(digest, row.digest)) throw otherDigest(row)
  const status = statusOf(row, now)
  const isRepeated = decisions.some(({ user_id }) => user_id === by.user)
  if (isRepeated && status === 'approved') return row
  if (status !== 'pending') throw notOpen(row, now, 'approved')

  // From here the change must succeed.
  const consent = { decision: 'approve', reason: null } as const
  // Repeated, it may be enough by now: an earlier approver may have got the right back.
  const all = isRepeated ? decisions : [...decisions, decisionBy(by, consent, now)]
  const roles = await rolesOf(tx, by.organization, approversOf(row))
  const isEnough = isSatisfied(requirementsOf(row), all, roles)
  if (isRepeated && !isEnough) return row
  return save(tx, row, { decisions: all, status: isEnough ? 'approved' : 'pending' })
}

/** Also takes back an approval that has not been used. */
export const decline = async (
  tx: Queryable,
  by: Decider,
  id: string,
  reason: string | null,
): Promise<ApprovalRow> => {
  await lockOpenApprovals(tx, by.organization)
  const { row, decisions, now } = await approvalToDecide(tx, by, id)
  const status = statusOf(row, now)
  if (status === 'declined') return row
  if (status !== 'pending' && status !== 'approved') throw notOpen(row, now, 'declined')

  // From here the change must succeed.
  const others = decisions.filter(({ user_id }) => user_id !== by.user)
  const all = [...others, decisionBy(by, { decision: 'decline', reason }, now)]
  const declined = await save(tx, row, { decisions: all, status: 'declined', ended_at: now })
  await countEndOfApprovals(tx, by.organization)
  return declined
}

/** How many wait for the decision of this person, up to a limit. */
export const countWaitingFor = async (
  db: Queryable,
  by: Omit<Decider, 'address'>,
): Promise<number> => {
  const { organization, user, role } = by
  const pending = await approvalsOf(db, {
    organization,
    keyRoot: undefined,
    before: undefined,
    statuses: ['pending'],
    limit: approvalLimits.waitingCountedMax,
  })
  const open = pending.filter((row) => !decisionsOf(row).some(({ user_id }) => user_id === user))
  const keyMakers = await keyMakersOf(db, organization, open)
  const person = { user_id: user, role }
  return open.filter((row) => whyNotToDecide(row, keyMakers(row), person) === undefined).length
}

const decisionBy = (
  { user, role }: Decider,
  { decision, reason }: Pick<ApprovalDecision, 'decision' | 'reason'>,
  at: string,
): ApprovalDecision => ({ user_id: user, role, decision, reason, at })

const save = async (
  tx: Queryable,
  row: ApprovalRow,
  change: { decisions: readonly ApprovalDecision[]; status: string; ended_at?: string },
): Promise<ApprovalRow> => {
  const saved = { ...row, ...change, decisions: JSON.stringify(change.decisions) }
  await saveDecision(tx, saved)
  return saved
}

/** Refuses whoever may not decide on it. */
const approvalToDecide = async (tx: Queryable, by: Decider, id: string) => {
  const row = await approvalForUpdate(tx, by.organization, id)
  if (row === undefined)
    throw await notFoundOrIsolated(tx, by.organization, 'apr', encodeId('apr', id))
  const keyMakers = await keyMakersOf(tx, by.organization, [row])
  const refused = whyNotToDecide(row, keyMakers(row), { user_id: by.user, role: by.role })
  if (refused !== undefined) throw mayNotDecide(by, refused)
  return { row, decisions: decisionsOf(row), now: await databaseNow(tx) }
}

const refusals = {
  asked_for_it: ['four_eyes', 'You asked for this yourself'],
  made_the_key: ['four_eyes', 'You made the key that asked for this'],
  not_named: ['not_an_approver', 'The rule names others'],
} as const satisfies Record<WhyNotToDecide, readonly [reason: string, text: string]>

/** In an organization of one person, what comes next is to invite another one. */
const mayNotDecide = ({ address }: Decider, why: WhyNotToDecide): Refusal => {
  const [reason, text] = refusals[why]
  return refuse(
    'forbidden',
    `${text}: another person decides. If there is none, an admin invites one (POST /v1/invitations).`,
    { address, reason },
  )
}

const otherDigest = ({ id }: ApprovalRow): Refusal =>
  refuse(
    'conflict',
    'The digest is not that of the approval: read it, then approve what it says.',
    { reason: 'authorization_digest_mismatch', approval_id: encodeId('apr', id) },
  )

const notOpen = (row: ApprovalRow, now: string, to: 'approved' | 'declined'): Refusal => {
  const from = statusOf(row, now)
  if (from === 'expired') {
    return refuse('conflict', 'The approval has expired.', { reason: 'approval_expired' })
  }
  const allowed = from === 'approved' ? ['declined'] : []
  return refuse('conflict', `The approval is ${from}.`, {
    reason: 'illegal_transition',
    allowed,
    from,
    to,
    side: 'approver',
  })
}
