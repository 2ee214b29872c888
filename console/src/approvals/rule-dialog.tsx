/** A new approval rule, or a change of one. */
import { useState } from 'react'
import type { ApprovalRule } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { notify } from '../design/notices.tsx'
import { ApproverFields } from './approver-fields.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { bodyOf, changesOf, formOf, obstacleOf } from './rule-form.ts'

interface RuleDialogProps {
  /** Null for a new one. */
  rule: ApprovalRule | null
  onClose: () => void
}

const RuleDialog = ({ rule, onClose }: RuleDialogProps) => {
  const [opened] = useState(() => formOf(rule))
  const [form, setForm] = useState(opened)
  const write = useWrite<ApprovalRule>(({ body }) => {
    notify(`“${body.name}” is saved and applies to new requests.`)
    onClose()
  })
  const change = (more: Partial<typeof form>) => setForm({ ...form, ...more })
  const submit = () =>
    write.mutate(
      rule === null
        ? { path: '/v1/approval_rules', body: bodyOf(form) }
        : { method: 'PATCH', path: `/v1/approval_rules/${rule.id}`, body: changesOf(form, opened) },
    )
  return (
    <FormDialog
      title={rule === null ? 'New approval rule' : 'Edit approval rule'}
      lead="Whatever it applies to waits until others have approved it."
      size="large"
      write={write}
      verb={rule === null ? 'Create rule' : 'Save rule'}
      obstacle={obstacleOf(form)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Name"
        param="/name"
        hint="Whoever waits for the approval sees it."
        value={form.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      <ConditionFields
        value={{ ...form, amount: form.amountAbove }}
        onChange={({ amount, ...more }) =>
          change({ ...more, ...(amount === undefined ? {} : { amountAbove: amount }) })
        }
        paramOf={(name) => `/when/${name === 'amount' ? 'amount_above' : name}`}
        amountLabel="More than"
        amountHint="Leave empty for any amount."
        anyCurrency="Any currency"
      />
      <div className="grid gap-4 border-t border-line pt-4">
        <ApproverFields form={form} onChange={change} />
      </div>
    </FormDialog>
  )
}

export default RuleDialog
