/** What the form of an approval rule holds, and the body that it sends. */
import type { ApprovalRule, ApprovalRuleCreate, Currency, DocumentTypeName } from '../api/types.ts'
import { doubtOf, numberOf, typedNumber } from '../design/typed-numbers.ts'
import { type Operation, hasTypes, offeredOperation } from './rule-texts.ts'

export type Audience = 'all' | 'roles' | 'people'
export type ApprovingRole = 'owner' | 'admin' | 'approver'

export interface RuleForm {
  name: string
  operation: Operation
  documentType: DocumentTypeName | ''
  amountAbove: string
  currency: Currency | ''
  connection: string
  approvers: string
  audience: Audience
  roles: readonly ApprovingRole[]
  people: readonly string[]
}

const emptyForm: RuleForm = {
  name: '',
  operation: 'documents.pay',
  documentType: '',
  amountAbove: '',
  currency: '',
  connection: '',
  approvers: '1',
  audience: 'all',
  roles: [],
  people: [],
}

export const formOf = (rule: ApprovalRule | null): RuleForm =>
  rule === null
    ? emptyForm
    : {
        name: rule.name,
        operation: offeredOperation(rule.when.operation),
        documentType: rule.when.document_type ?? '',
        amountAbove: typedNumber(rule.when.amount_above?.toFixed(2) ?? ''),
        currency: rule.when.currency ?? '',
        connection: rule.when.connection_id ?? '',
        approvers: String(rule.approvers),
        audience: rule.user_ids !== null ? 'people' : rule.roles !== null ? 'roles' : 'all',
        roles: (rule.roles ?? []) as ApprovingRole[],
        people: rule.user_ids ?? [],
      }

export const bodyOf = (form: RuleForm): ApprovalRuleCreate => ({
  name: form.name.trim(),
  when: {
    operation: form.operation,
    document_type: hasTypes(form.operation) ? form.documentType || null : null,
    amount_above: form.amountAbove.trim() === '' ? null : Number(numberOf(form.amountAbove)),
    currency: form.currency || null,
    connection_id: form.connection || null,
  },
  approvers: Number(form.approvers),
  roles: form.audience === 'roles' ? form.roles : null,
  user_ids: form.audience === 'people' ? form.people : null,
})

/** Only what differs, so that what somebody else has changed in the rule meanwhile stays. */
export const changesOf = (form: RuleForm, before: RuleForm): Partial<ApprovalRuleCreate> => {
  const then: Record<string, unknown> = { ...bodyOf(before) }
  const changed = Object.entries(bodyOf(form)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(then[name]),
  )
  return Object.fromEntries(changed)
}

export const amountInDigits = 'Write the amount with digits, such as 5000.'

/** Why it cannot be sent yet; undefined when it can. */
export const obstacleOf = (form: RuleForm): string | undefined => {
  if (form.name.trim() === '') return 'Give the rule a name.'
  const amount = form.amountAbove.trim()
  if (amount !== '' && typeof numberOf(amount) === 'string')
    return doubtOf(amount) ?? amountInDigits
  if (amount !== '' && form.currency === '') return 'An amount needs its currency.'
  if (form.audience === 'roles' && form.roles.length === 0) return 'Choose at least one role.'
  if (form.audience === 'people' && form.people.length < Number(form.approvers))
    return 'Choose at least as many people as have to approve.'
  return undefined
}
