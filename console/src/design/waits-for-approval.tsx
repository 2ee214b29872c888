/** A write that waits for the approval of another person: not an error, and what comes next. */
import { Link } from '@tanstack/react-router'
import type { AskedApproval } from '../api/call.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Approval } from '../api/types.ts'
import { amountsIn } from './amounts-in.ts'
import { Sentence, Time } from './format.tsx'
import { Status, type Tone } from './status.tsx'

interface WaitingText {
  tone: Tone
  title: string
  next: string
}

const waiting: WaitingText = {
  tone: 'waiting',
  title: 'It waits for another person',
  next: 'Send it again once it is approved: it then runs, exactly once.',
}

const texts: Partial<Record<Approval['status'], WaitingText>> = {
  approved: {
    tone: 'good',
    title: 'It is approved',
    next: 'Send it again now: it runs exactly once.',
  },
  declined: {
    tone: 'bad',
    title: 'It is declined',
    next: 'The approval says why, if a reason was given.',
  },
}

const askedEveryMs = 5_000

const WaitsForApproval = ({ approval }: { approval: AskedApproval }) => {
  const { data } = useRead<Approval>(
    `/v1/approvals/${approval.id}`,
    {},
    { isEnabled: approval.id !== null, refetchEveryMs: askedEveryMs },
  )
  const { tone, title, next } = (data && texts[data.status]) ?? waiting
  return (
    <div role="status" className="rounded-md border border-amber-edge bg-amber-tint p-4">
      <Status tone={tone}>{title}</Status>
      <p className="mt-1 break-words">
        <Sentence text={amountsIn(approval.summary)} />
      </p>
      <p className="mt-1 text-sm text-muted">{next}</p>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-4 gap-y-1 text-sm">
        <ApprovalLink approval={approval} />
        {approval.expires_at && (
          <span className="text-muted">
            Until <Time at={approval.expires_at} />
          </span>
        )}
      </p>
    </div>
  )
}

export default WaitsForApproval

/** A dry run has asked for nothing yet, so there is nothing to open. */
export const ApprovalLink = ({ approval }: { approval: AskedApproval }) => {
  const { organization } = useSession()
  if (approval.id === null)
    return <span className="text-muted">Sending it asks another person to approve it.</span>
  return (
    <Link
      to="/o/$org/approvals"
      params={{ org: organization.id }}
      search={{ approval: approval.id }}
      className="font-medium text-accent underline"
    >
      Open the approval
    </Link>
  )
}
