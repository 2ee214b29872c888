/** What programs and people may do only once somebody has agreed to exactly that. */
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Suspense, lazy, useState } from 'react'
import type { Approval } from '../api/types.ts'
import { Ago, Money, Time, wordsOf } from '../design/format.tsx'
import { Choice, ListPage } from '../design/list-page.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'

const ApprovalDialog = lazy(() => import('./approval-dialog.tsx'))
const route = getRouteApi('/o/$org/approvals')

const statuses = ['pending', 'approved', 'executed', 'declined', 'expired', 'stale']
const options = statuses.map((status) => [status, wordsOf(status)] as const)

const ApprovalsPage = () => {
  const { org } = route.useParams()
  const filters = route.useSearch()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<Approval | null>(null)
  return (
    <ListPage<Approval>
      title="Approvals"
      lead="Payments that wait until a person agrees to exactly this amount and payee."
      filters={
        <Choice
          label="State"
          value={filters.status}
          options={options}
          onChoose={(status) =>
            void navigate({ to: '/o/$org/approvals', params: { org }, search: { status } })
          }
        />
      }
      caption="Approvals, newest first"
      path="/v1/approvals"
      query={filters}
      columns={columnsOf(setOpened)}
      rowKey={({ id }) => id}
      onOpen={setOpened}
      empty={{
        title: 'Nothing waits',
        text: 'A key that requires approval asks here before it pays. Set that when you create the key.',
      }}
    >
      <Suspense fallback={null}>
        {opened && <ApprovalDialog approval={opened} onClose={() => setOpened(null)} />}
      </Suspense>
    </ListPage>
  )
}

export default ApprovalsPage

const columnsOf = (onOpen: (approval: Approval) => void): Column<Approval>[] => [
  {
    title: 'What',
    cell: (approval) => (
      <button
        type="button"
        className="text-left font-medium break-words"
        onClick={() => onOpen(approval)}
      >
        {approval.summary}
      </button>
    ),
  },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Asked', isWide: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  { title: 'Until', isWide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
]
