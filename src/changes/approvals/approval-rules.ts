/**
 * Changes of the approval rules (contract 12). They hold for writes that are sent from then on: an
 * approval that was asked for keeps the requirements of its time.
 */
import { approvalLimits } from '../../contract/approval-limits.ts'
import { notFound, refuse, refuseProblems } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import { type Role, mayApprove } from '../../contract/roles.ts'
import type {
  ApprovalRuleCreate,
  ApprovalRuleUpdate,
} from '../../contract/shapes/approval-rules.ts'
import {
  type ApprovalRule,
  type RuleCondition,
  rulesOf,
  typeProblems,
} from '../../core/approvals/approval-rules.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { parseThreshold } from '../../core/approvals/thresholds.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { notFoundOrIsolated } from '../identity/sandbox-isolation.ts'
import { ruleSetForUpdate, saveRules } from '../../store/approvals/approval-rules.ts'
import { connectionOfParty } from '../../store/identity/connections.ts'
import { memberById } from '../../store/identity/members.ts'

export interface RuleChange {
  organization: string
  /** As it was sent. */
  id: string
}

export const createRule = async (
  tx: Queryable,
  organization: string,
  body: ApprovalRuleCreate,
): Promise<ApprovalRule> => {
  const set = await ruleSetForUpdate(tx, organization)
  const rules = rulesOf(set)
  const { rulesPerOrganizationMax: most } = approvalLimits
  if (rules.length >= most) {
    const message = `The organization has ${most} approval rules already: delete one.`
    throw refuse('conflict', message, { reason: 'too_many_approval_rules' })
  }
  const stated = await checkedRule(tx, organization, body)

  // From here the change must succeed.
  const at = await databaseNow(tx)
  const rule = { id: newId(), ...stated, created_at: at, updated_at: at }
  await saveRules(tx, set, { organization, rules: [...rules, rule], at })
  return rule
}

/** A rule that stays as it is keeps its `updated_at`. */
export const updateRule = async (
  tx: Queryable,
  change: RuleChange,
  body: ApprovalRuleUpdate,
): Promise<ApprovalRule> => {
  const { organization } = change
  const { set, rules, rule } = await ruleForUpdate(tx, change)
  const stated = await checkedRule(tx, organization, body, rule)
  if (canonicalJson({ ...rule, ...stated }) === canonicalJson(rule)) return rule

  // From here the change must succeed.
  const at = await databaseNow(tx)
  const changed = { ...rule, ...stated, updated_at: at }
  const all = rules.map((one) => (one === rule ? changed : one))
  await saveRules(tx, set, { organization, rules: all, at })
  return changed
}

/** Returns the last record. */
export const deleteRule = async (tx: Queryable, change: RuleChange): Promise<ApprovalRule> => {
  const { set, rules, rule } = await ruleForUpdate(tx, change)

  // From here the change must succeed.
  const others = rules.filter((one) => one !== rule)
  const { organization } = change
  await saveRules(tx, set, { organization, rules: others, at: await databaseNow(tx) })
  return rule
}

/** The rule, beside all the others of its set. */
const ruleForUpdate = async (tx: Queryable, { organization, id: publicId }: RuleChange) => {
  const set = await ruleSetForUpdate(tx, organization)
  const rules = rulesOf(set)
  const id = decodeId('rul', publicId)
  const rule = rules.find((one) => one.id === id)
  if (rule === undefined) throw await notFoundOrIsolated(tx, organization, 'rul', publicId)
  return { set, rules, rule }
}

type StatedRule = Omit<ApprovalRule, 'id' | 'created_at' | 'updated_at'>

/** What the body says on top of the current rule, if there is one; refuses what cannot be met. */
const checkedRule = async (
  tx: Queryable,
  organization: string,
  body: ApprovalRuleUpdate,
  current?: ApprovalRule,
): Promise<StatedRule> => {
  const problems: Problem[] = []
  const users = body.user_ids?.map((id) => decodeId('usr', id)!) ?? null
  const rule = {
    name: body.name ?? current!.name,
    when: body.when === undefined ? current!.when : conditionOf(body.when, problems),
    approvers: body.approvers ?? current?.approvers ?? 1,
    roles: body.roles === undefined ? (current?.roles ?? null) : body.roles,
    user_ids: body.user_ids === undefined ? (current?.user_ids ?? null) : users,
  }
  checkApprovers(rule, problems)
  await checkUsers(tx, organization, { users: users ?? [], kept: current?.user_ids }, problems)
  refuseProblems(problems)
  if (body.when?.connection_id != null) await checkConnection(tx, organization, rule.when)
  return rule
}

/** What no record has to be read for. */
export const conditionProblems = (
  { when }: Pick<ApprovalRuleUpdate, 'when'>,
  { isSound }: { isSound(param: string): boolean },
): Problem[] => {
  const problems: Problem[] = []
  if (when !== undefined && isSound('/when')) conditionOf(when, problems)
  return problems
}

const conditionOf = (when: ApprovalRuleCreate['when'], problems: Problem[]): RuleCondition => {
  const { operation, document_type = null, amount_above = null, currency = null } = when
  problems.push(...typeProblems(operation, document_type, '/when/document_type'))
  if (amount_above !== null && currency === null) {
    problems.push({
      param: '/when/currency',
      code: 'required',
      message: 'An amount needs a currency.',
      fix: 'send currency beside amount_above',
    })
  }
  const connection = when.connection_id ?? null
  return {
    operation,
    document_type,
    currency,
    amount_above:
      amount_above === null
        ? null
        : String(parseThreshold(amount_above, '/when/amount_above', problems)),
    connection_id: connection && decodeId('con', connection)!,
  }
}

const checkApprovers = ({ approvers, roles, user_ids }: StatedRule, problems: Problem[]): void => {
  if (roles !== null && user_ids !== null) {
    problems.push({
      param: '/user_ids',
      code: 'invalid_value',
      message: 'A rule names roles or users.',
      fix: 'send null for one of the two',
    })
  } else if (user_ids !== null && new Set(user_ids).size < approvers) {
    problems.push({
      param: '/approvers',
      code: 'out_of_range',
      message: 'More approvers are needed than user_ids names.',
      fix: 'name more users, or need fewer of them',
    })
  }
}

/** A rule may go on naming users who have left, if it named them before. */
const checkUsers = async (
  tx: Queryable,
  organization: string,
  { users, kept }: { users: readonly string[]; kept: readonly string[] | null | undefined },
  problems: Problem[],
): Promise<void> => {
  for (const [i, user] of users.entries()) {
    if (kept?.includes(user)) continue
    const member = await memberById(tx, organization, user)
    if (member !== undefined && mayApprove(member.role as Role)) continue
    problems.push({
      param: `/user_ids/${i}`,
      code: 'invalid_value',
      message: 'This user is not a member who may approve.',
      fix: 'name an owner, admin or approver of the organization',
    })
  }
}

const checkConnection = async (
  tx: Queryable,
  organization: string,
  { connection_id: id }: RuleCondition,
): Promise<void> => {
  if ((await connectionOfParty(tx, organization, id!)) !== undefined) return
  throw notFound('connection', encodeId('con', id!), '/when/connection_id')
}
