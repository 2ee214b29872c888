/** One approval: what exactly is agreed to, who has decided, and the decision. */
import { useState } from 'react'
import type { Approval } from '../api/types.ts'
import { useSession } from '../api/session.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Money, Time, wordsOf } from '../design/format.tsx'
import { CopyText, Fact, Refusal } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'

const approverRoles: readonly string[] = ['owner', 'admin', 'approver']

const ApprovalDialog = ({ approval, onClose }: { approval: Approval; onClose: () => void }) => {
  const { role } = useSession()
  const [reason, setReason] = useState('')
  const path = `/v1/approvals/${approval.id}`
  const done = ({ body }: { body: Approval }) => {
    notify(`${body.summary}: ${body.status}`)
    onClose()
  }
  const approve = useWrite<Approval>(done)
  const decline = useWrite<Approval>(done)
  const isPending = approval.status === 'pending'
  return (
    <FormDialog
      title={approval.summary}
      lead="You agree to exactly this: a changed document or balance needs a new approval."
      write={approve}
      verb="Approve"
      cancel="Not now"
      obstacle={
        isPending
          ? approverRoles.includes(role)
            ? undefined
            : 'Owners, admins and approvers decide.'
          : `It is ${approval.status} already.`
      }
      onSubmit={() =>
        approve.mutate({ path: `${path}/approve`, body: { digest: approval.digest } })
      }
      onClose={onClose}
    >
      <dl className="rounded-md border border-line px-4 py-2">
        <Fact term="Amount">
          <strong>
            <Money amount={approval.amount} currency={approval.currency} />
          </strong>
        </Fact>
        <Fact term="Asked by">{approval.key_id === null ? 'A person' : 'A key'}</Fact>
        <Fact term="Until">
          <Time at={approval.expires_at} />
        </Fact>
        <Fact term="Digest">
          <CopyText text={approval.digest} label="the digest" />
        </Fact>
        {approval.decisions.map(({ user_id, decision, at, reason: why }) => (
          <Fact key={user_id + at} term={wordsOf(decision)}>
            <Time at={at} />
            {why && <span className="block text-muted">{why}</span>}
          </Fact>
        ))}
      </dl>
      {isPending && approverRoles.includes(role) && (
        <div className="flex flex-wrap items-end gap-2 border-t border-line pt-4">
          <TextField
            className="min-w-48 flex-1"
            label="Or decline, with a reason"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <Button
            disabledReason={decline.isPending ? 'Sending' : undefined}
            onClick={() =>
              decline.mutate({ path: `${path}/decline`, body: reason === '' ? {} : { reason } })
            }
          >
            Decline
          </Button>
        </div>
      )}
      {decline.error && <Refusal error={decline.error} />}
    </FormDialog>
  )
}

export default ApprovalDialog
