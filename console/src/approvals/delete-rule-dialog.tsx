/** Asks before an approval rule is deleted. */
import type { ApprovalRule } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { notify } from '../design/notices.tsx'

interface DeleteRuleDialogProps {
  rule: ApprovalRule
  onClose: () => void
}

const DeleteRuleDialog = ({ rule, onClose }: DeleteRuleDialogProps) => {
  const write = useWrite<ApprovalRule>(({ body }) => {
    notify(`“${body.name}” is deleted.`)
    onClose()
  })
  return (
    <FormDialog
      title={`Delete “${rule.name}”?`}
      write={write}
      verb="Delete rule"
      isDanger
      cancel="Keep it"
      onSubmit={() => write.mutate({ method: 'DELETE', path: `/v1/approval_rules/${rule.id}` })}
      onClose={onClose}
    >
      <p>New requests no longer need its approval. What waits already still waits.</p>
    </FormDialog>
  )
}

export default DeleteRuleDialog
