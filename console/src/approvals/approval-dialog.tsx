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
import { approversText } from './rule-texts.ts'

const approverRoles: readonly string[] = ['owner', 'admin', 'approver']

const ApprovalDialog = ({ approval, onClose }: { approval: Approval; onClose: () => void }) => {
  const { role, user } = useSession()
  const [reason, setReason] = useState('')
  const path = `/v1/approvals/${approval.id}`
  const done = ({ body }: { body: Approval }) => {
    notify(`${body.summary}: ${body.status}`)
    onClose()
  }
  const approve = useWrite<Approval>(done)
  const decline = useWrite<Approval>(done)
  const refusal = decisionRefusal(approval, { role, user: user.id })
  return (
    <FormDialog
      title={approval.summary}
      lead="You agree to exactly this: a changed document or balance needs a new approval."
      write={approve}
      verb="Approve"
      cancel="Not now"
      obstacle={refusal}
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
        <Fact term="Asked by">{askerText(approval, user.id)}</Fact>
        {approval.requirements.map((requirement) => (
          <Fact key={requirement.rule_id} term={requirement.name ?? 'The key itself'}>
            {approversText(requirement)}
          </Fact>
        ))}
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
      {refusal === undefined && (
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

interface Reader {
  role: string
  user: string
}

/** Why this person cannot decide; undefined for whoever can. */
const decisionRefusal = (approval: Approval, { role, user }: Reader): string | undefined => {
  if (approval.status !== 'pending') return `It is ${approval.status} already.`
  if (approval.user_id === user) return 'You have asked for it, so another person decides.'
  if (approval.decisions.some((decision) => decision.user_id === user))
    return 'You have approved it. Others have to as well.'
  return approverRoles.includes(role) ? undefined : 'Owners, admins and approvers decide.'
}

const askerText = ({ key_id, user_id }: Approval, reader: string): string => {
  if (key_id !== null) return 'A key'
  return user_id === reader ? 'You' : 'Another member'
}
