/** Tries the rules with a sample write: whether it would wait, for whom, and by which rule. */
import { useState } from 'react'
import type { ApprovalRule, ApprovalRuleTestResult } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Announced } from '../design/announcements.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { Status } from '../design/status.tsx'
import { doubtOf, numberOf, typedNumber } from '../design/typed-numbers.ts'
import { type Condition, ConditionFields } from './condition-fields.tsx'
import { shortageText } from './approvers.ts'
import { amountInDigits } from './rule-form.ts'
import { approversText, hasTypes, offeredOperation } from './rule-texts.ts'

interface TestRuleDialogProps {
  rule: ApprovalRule
  onClose: () => void
}

const TestRuleDialog = ({ rule, onClose }: TestRuleDialogProps) => {
  const [sample, setSample] = useState(() => sampleFor(rule))
  const write = useWrite<ApprovalRuleTestResult>()
  const change = (more: Partial<Condition>) => {
    setSample({ ...sample, ...more })
    write.reset()
  }
  return (
    <FormDialog
      title={`Test “${rule.name}”`}
      lead="A sample payment is decided by all rules. Nothing is paid or asked for."
      size="large"
      write={write}
      verb="Test this rule"
      cancel="Close"
      obstacle={
        Number(numberOf(sample.amount)) > 0 ? undefined : (doubtOf(sample.amount) ?? amountInDigits)
      }
      onSubmit={() => write.mutate({ path: '/v1/approval_rules/test', body: bodyOf(sample) })}
      onClose={onClose}
    >
      <ConditionFields
        value={sample}
        onChange={change}
        paramOf={(name) => `/${name}`}
        amountLabel="Amount"
      />
      <Announced>{write.data && <Result rule={rule} result={write.data.body} />}</Announced>
    </FormDialog>
  )
}

export default TestRuleDialog

/** A write to which the rule applies, by a cent. */
const sampleFor = ({ when }: ApprovalRule): Condition => ({
  operation: offeredOperation(when.operation),
  documentType: when.document_type ?? (hasTypes(when.operation) ? 'invoice' : ''),
  amount: typedNumber(((when.amount_above ?? 99.99) + 0.01).toFixed(2)),
  currency: when.currency ?? 'USD',
  connection: when.connection_id ?? '',
})

const bodyOf = ({ operation, documentType, amount, currency, connection }: Condition) => ({
  operation,
  document_type: hasTypes(operation) ? documentType || null : null,
  amount: numberOf(amount),
  currency,
  connection_id: connection || null,
})

interface ResultProps {
  rule: ApprovalRule
  result: ApprovalRuleTestResult
}

const Result = ({ rule, result }: ResultProps) => {
  const applies = result.requirements.some(({ rule_id }) => rule_id === rule.id)
  return (
    <div className="rounded-md border border-line bg-canvas p-4">
      <Status tone={result.requires_approval ? 'waiting' : 'good'}>
        {result.requires_approval ? 'It would wait for approval' : 'It would run at once'}
      </Status>
      <p className="mt-1 text-muted">
        {applies ? 'This rule applies.' : 'This rule does not apply.'}
        {!applies && result.requires_approval && ' Others do.'}
      </p>
      {result.requirements.length > 0 && (
        <ul className="mt-3 divide-y divide-line border-t border-line">
          {result.requirements.map((requirement) => (
            <li key={requirement.rule_id} className="grid gap-x-4 py-2 sm:grid-cols-[1fr_auto]">
              <span className="font-medium">{requirement.name}</span>
              <span className="text-muted">{approversText(requirement)}</span>
              <Eligible {...requirement} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const Eligible = (props: { approvers: number; eligible_members: number }) => {
  const { approvers, eligible_members: eligible } = props
  const shortage = shortageText(approvers, eligible)
  return shortage === undefined ? (
    <span className="text-sm text-muted sm:col-span-2">{eligible} members count today.</span>
  ) : (
    <span className="text-sm text-amber sm:col-span-2">{shortage}</span>
  )
}
