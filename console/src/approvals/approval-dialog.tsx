/** One approval: what exactly is agreed to, who has decided, and the decision. */
import { mayApprove } from '../../../src/contract/roles.ts'
import { isAdmin } from '../api/permissions.ts'
import { useSession } from '../api/session.ts'
import type { Approval, MemberRole } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { amountsIn } from '../design/amounts-in.ts'
import { Button } from '../design/button.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Money, Time, wordsOf } from '../design/format.tsx'
import { CopyText, Fact, Refusal } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { Status } from '../design/status.tsx'
import { CallerName } from '../developers/caller-name.tsx'
import { useKeptText } from '../documents/kept-texts.ts'
import { approvedText, countsFor, shortageOf, useMembers } from './approvers.ts'
import { DocumentOf, NextStep, documentOf } from './next-step.tsx'
import { approversText } from './rule-texts.ts'

const ApprovalDialog = ({ approval, onClose }: { approval: Approval; onClose: () => void }) => {
  const session = useSession()
  const { role, user } = session
  const [reason, setReason] = useKeptText(`${approval.id} reason`)
  const path = `/v1/approvals/${approval.id}`
  const close = () => {
    setReason('')
    onClose()
  }
  const done = ({ body }: { body: Approval }) => {
    notify(`${amountsIn(body.summary)}: ${body.status}`)
    close()
  }
  const approve = useWrite<Approval>(done)
  const decline = useWrite<Approval>(done)
  const members = useMembers()
  const shortage = shortageOf(approval, members)
  const refusal = decisionRefusal(approval, { role, user: user.id })
  return (
    <FormDialog
      title={amountsIn(approval.summary)}
      lead="You agree to exactly this: a changed document or balance needs a new approval."
      write={approve}
      verb="Approve"
      cancel="Not now"
      obstacle={refusal}
      onSubmit={() =>
        approve.mutate({ path: `${path}/approve`, body: { digest: approval.digest } })
      }
      onClose={close}
    >
      <NextStep approval={approval} />
      {shortage !== undefined && (
        <div className="rounded-md border border-amber-edge bg-amber-tint p-4">
          <Status tone="warning">It is stuck</Status>
          <p className="mt-1">
            {shortage} Invite another member or change a role, in Settings; or change the rule and
            ask again.
          </p>
        </div>
      )}
      {shortage === undefined && approval.status === 'pending' && !isAdmin(session) && (
        <p className="text-sm text-muted">
          You may not see members, so not whether enough of them count. Owners and admins do.
        </p>
      )}
      <dl className="rounded-md border border-line px-4 py-2">
        <Fact term="Amount">
          <strong>
            <Money amount={approval.amount} currency={approval.currency} />
          </strong>
        </Fact>
        {documentOf(approval) !== undefined && (
          <Fact term="Document">
            <DocumentOf approval={approval} />
          </Fact>
        )}
        <Fact term="Asked by">
          <Asker approval={approval} />
        </Fact>
        {approval.requirements.map((requirement) => (
          <Fact key={requirement.rule_id} term={requirement.name ?? 'The key itself'}>
            {approversText(requirement)}
            <span className="block text-sm text-muted">
              {approvedText(approval, requirement, members) ??
                (isAdmin(session) ? null : 'Owners and admins see how many of them have approved.')}
            </span>
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
            <Decider user={user_id} />, <Time at={at} />
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
            isWrite
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
  role: MemberRole
  user: string
}

/** Why this person cannot decide; undefined for whoever can. */
const decisionRefusal = (approval: Approval, { role, user }: Reader): string | undefined => {
  if (approval.status !== 'pending') return `It is ${approval.status} already.`
  if (approval.user_id === user) return 'You have asked for it, so another person decides.'
  if (approval.decisions.some((decision) => decision.user_id === user))
    return 'You have approved it. Others have to as well.'
  if (!mayApprove(role)) return 'Owners, admins and approvers decide.'
  return approval.requirements.some((one) => countsFor(one, { role, user_id: user }))
    ? undefined
    : 'The rule names others, who decide.'
}

/** Also who may not approve any more. */
const Decider = ({ user }: { user: string }) => {
  const session = useSession()
  if (user === session.user.id) return 'You'
  return isAdmin(session) ? <CallerName key_id={null} user_id={user} /> : 'A member'
}

/** Owners and admins read the names of keys and members. */
const Asker = ({ approval: { key_id, user_id } }: { approval: Approval }) => {
  const session = useSession()
  if (user_id === session.user.id) return 'You'
  if (isAdmin(session)) return <CallerName key_id={key_id} user_id={user_id} />
  return (
    <>
      {key_id === null ? 'Another member' : 'A key'}
      <span className="block text-sm text-muted">
        Owners and admins see the name of{' '}
        <code className="font-mono text-xs">{key_id ?? user_id}</code>.
      </span>
    </>
  )
}
