/** What programs and people may do only once somebody has agreed to exactly that. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import type { Approval } from '../api/types.ts'
import { amountsIn } from '../design/amounts-in.ts'
import { buttonClass } from '../design/button.tsx'
import { Ago, Money, Sentence, Time, wordsOf } from '../design/format.tsx'
import { Refusal } from '../design/layout.tsx'
import { Choice, ListPage } from '../design/list-page.tsx'
import { StatusMark } from '../design/status.tsx'
import { BelowOnNarrow, type Column } from '../design/table.tsx'
import { approvedText, shortageOf, useMembers } from './approvers.ts'
import { lazyPart } from '../design/lazy-part.tsx'

const ApprovalDialog = lazyPart(() => import('./approval-dialog.tsx'))
const route = getRouteApi('/o/$org/approvals')

const statuses = ['pending', 'approved', 'executed', 'declined', 'expired', 'stale']
const options = statuses.map((status) => [status, wordsOf(status)] as const)

const ApprovalsPage = () => {
  const { org } = route.useParams()
  const { approval: opened, ...filters } = route.useSearch()
  const navigate = useNavigate()
  const show = (search: { status?: string | undefined; approval?: string | undefined }) =>
    void navigate({ to: '/o/$org/approvals', params: { org }, search })
  const open = ({ id }: Approval) => show({ ...filters, approval: id })
  return (
    <ListPage<Approval>
      title="Approvals"
      lead={
        <>
          Payments and loans that somebody has started, and that a rule or a key holds until another
          person agrees. Bills and quotes that your organization has yet to approve are under{' '}
          <Link
            to="/o/$org/documents"
            params={{ org }}
            search={{ view: 'approve' }}
            className="underline hover:text-ink"
          >
            Documents, To approve
          </Link>
          .
        </>
      }
      actions={
        <Link to="/o/$org/approvals/rules" params={{ org }} className={buttonClass()}>
          Approval rules
        </Link>
      }
      filters={
        <Choice
          label="State"
          value={filters.status}
          options={options}
          onChoose={(status) => show({ status })}
        />
      }
      caption="Approvals, newest first"
      path="/v1/approvals"
      refetchEveryMs={3_000}
      query={filters}
      columns={columnsOf(open)}
      rowKey={({ id }) => id}
      onOpen={open}
      empty={{
        title: 'Nothing is waiting',
        text: 'Payments that an approval rule applies to wait here until others approve them, and so do those of a key that requires approval.',
      }}
    >
      {opened && <OpenedApproval id={opened} onClose={() => show(filters)} />}
    </ListPage>
  )
}

export default ApprovalsPage

/** The address names the opened one, so that whoever waits can send it to whoever decides. */
const OpenedApproval = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const { data, error } = useRead<Approval>(`/v1/approvals/${id}`)
  if (data !== undefined) return <ApprovalDialog approval={data} onClose={onClose} />
  return error && <Refusal error={error} />
}

const columnsOf = (onOpen: (approval: Approval) => void): Column<Approval>[] => [
  {
    title: 'What',
    cell: (approval) => (
      <>
        <button
          type="button"
          className="text-left font-medium break-words"
          onClick={() => onOpen(approval)}
        >
          <Sentence text={amountsIn(approval.summary)} />
        </button>
        {approval.status === 'pending' && <Progress approval={approval} />}
      </>
    ),
  },
  { title: 'State', isWide: true, cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Asked', isWide: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  { title: 'Until', isWide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ amount, currency, status }) => (
      <>
        <Money amount={amount} currency={currency} />
        <BelowOnNarrow>
          <StatusMark status={status} />
        </BelowOnNarrow>
      </>
    ),
  },
]

const Progress = ({ approval }: { approval: Approval }) => {
  const members = useMembers()
  const shortage = shortageOf(approval, members)
  const counts = approval.requirements.flatMap(
    (requirement) => approvedText(approval, requirement, members) ?? [],
  )
  return (
    <>
      <span className="block text-sm text-muted">{counts.join(', ')}</span>
      {shortage !== undefined && <span className="block text-sm text-amber">{shortage}</span>}
    </>
  )
}
