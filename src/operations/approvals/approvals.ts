/** Approvals: what waits for the consent of a person, and that person's decision (contract 12). */
import type { Call } from '../../context.ts'
import {
  Approval,
  ApprovalConsent,
  ApprovalDecline,
  ApprovalListFilters,
  ApprovalPage,
} from '../../contract/shapes/approvals.ts'
import { type Decider, approve, decline } from '../../changes/approvals/decide-approval.ts'
import {
  type ApprovalRow,
  type Requirement,
  decisionsOf,
  requirementsOf,
  statusOf,
} from '../../core/approvals/approval-decisions.ts'
import type { ApprovalStatement } from '../../core/approvals/approval-statement.ts'
import { encodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import { approvalById, approvalsOf } from '../../store/approvals/approvals.ts'
import { keyById } from '../../store/identity/keys.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'
import { ownRecord, uuidOrNotFound } from '../path-ids.ts'

export const toRequirement = ({ rule, approvers, roles, user_ids }: Requirement) => ({
  rule_id: rule === null ? null : encodeId('rul', rule.id),
  name: rule?.name ?? null,
  approvers,
  roles: roles === null ? null : [...roles],
  user_ids: user_ids?.map((id) => encodeId('usr', id)) ?? null,
})

const toApproval = (row: ApprovalRow, now: string): Approval => {
  const statement = JSON.parse(row.statement) as ApprovalStatement
  return {
    id: encodeId('apr', row.id),
    status: statusOf(row, now),
    summary: row.summary,
    digest: row.digest,
    statement,
    operation: statement.operation,
    amount: Number(statement.amount),
    currency: statement.currency as Approval['currency'],
    key_id: row.key_id === null ? null : encodeId('key', row.key_id),
    user_id: row.user_id === null ? null : encodeId('usr', row.user_id),
    requirements: requirementsOf(row).map(toRequirement),
    decisions: decisionsOf(row).map(({ user_id, decision, reason, at }) => ({
      user_id: encodeId('usr', user_id),
      decision,
      reason,
      at,
    })),
    created_at: row.created_at,
    expires_at: row.expires_at,
    ended_at: row.ended_at,
  }
}

/** A key sees what its rotation chain has asked for; a session sees all of the organization's. */
const ownKeyRoot = async ({ read, organization, credential }: Call): Promise<string | undefined> =>
  credential.kind === 'session'
    ? undefined
    : (await keyById(read, organization.id, credential.id))!.root_id

const approvalDefaults = { family: 'payments', since: '1.16.0' } as const

export const list = operation({
  ...approvalDefaults,
  id: 'approvals.list',
  method: 'GET',
  path: '/v1/approvals',
  summary: 'List approvals, newest first',
  description: 'A session sees those of the organization, a key those it has asked for.',
  allowed: 'any',
  query: ApprovalListFilters,
  response: ApprovalPage,
  summaryFields: ['id', 'status', 'summary', 'digest', 'expires_at'],
  toolFields: ['id', 'status', 'summary', 'expires_at'],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'approvals', query)
  const keyRoot = await ownKeyRoot(call)
  const { id: organization } = call.organization
  const rows = await approvalsOf(call.read, {
    organization,
    keyRoot,
    statuses: query.status,
    before: page.before,
    limit: page.limit,
  })
  const now = await databaseNow(call.read)
  return {
    body: page.of(
      rows,
      (row) => toApproval(row, now),
      ({ id }) => id,
    ),
  }
})

export const get = operation({
  ...approvalDefaults,
  id: 'approvals.get',
  method: 'GET',
  path: '/v1/approvals/{id}',
  summary: 'Retrieve an approval',
  allowed: 'any',
  response: Approval,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const keyRoot = await ownKeyRoot(call)
  const ofCaller = async (db: Queryable, organization: string, id: string) => {
    const row = await approvalById(db, organization, id)
    return keyRoot === undefined || row?.key_root_id === keyRoot ? row : undefined
  }
  const row = await ownRecord(call, 'apr', params.id, ofCaller)
  return { body: toApproval(row, await databaseNow(call.read)) }
})

const deciderOf = ({ organization, credential, address }: Call): Decider => {
  const { id: user, role } = credential.user!
  return { organization: organization.id, user, role, address }
}

const decisionDefaults = {
  ...approvalDefaults,
  method: 'POST',
  allowed: 'approver',
  response: Approval,
  errors: ['forbidden', 'not_found', 'conflict', 'sandbox_isolation'],
} as const

const decided = (row: ApprovalRow, now: string) => {
  const body = toApproval(row, now)
  return { body, resourceId: body.id }
}

export const approveOperation = operation({
  ...decisionDefaults,
  id: 'approvals.approve',
  path: '/v1/approvals/{id}/approve',
  summary: 'Approve what waits, by its digest',
  description:
    'Of another person than the one who asked, or who made the key that asked. The write runs when it is sent again.',
  body: ApprovalConsent,
}).transacts(async (tx, call, { params, body }) => {
  const id = uuidOrNotFound('apr', params.id)
  const row = await approve(tx, deciderOf(call), id, body.digest)
  return decided(row, await databaseNow(tx))
})

export const declineOperation = operation({
  ...decisionDefaults,
  id: 'approvals.decline',
  path: '/v1/approvals/{id}/decline',
  summary: 'Decline what waits',
  description: 'Also takes an approval back that has not been used.',
  body: ApprovalDecline,
}).transacts(async (tx, call, { params, body }) => {
  const id = uuidOrNotFound('apr', params.id)
  const row = await decline(tx, deciderOf(call), id, body.reason ?? null)
  return decided(row, await databaseNow(tx))
})
