/** What people did in this organization. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Query } from '../api/call.ts'
import { useList } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { AuditEntry, Member } from '../api/types.ts'
import { Time } from '../design/format.tsx'
import { CopyText, Empty, Page, Panel } from '../design/layout.tsx'
import { Choice, List } from '../design/list-page.tsx'
import type { Column } from '../design/table.tsx'

const route = getRouteApi('/o/$org/audit')

const adminsOnly = 'Owners and admins read what people did'

const AuditPage = () => {
  const { org } = route.useParams()
  const { role } = useSession()
  const isAdmin = role === 'owner' || role === 'admin'
  return (
    <Page
      title="Audit log"
      lead="Every change that a signed-in person made, and every sign‑in. It is stored with the change itself and numbered without a gap."
      back={
        <Link to="/o/$org/settings" params={{ org }} className="hover:text-ink">
          Settings
        </Link>
      }
    >
      {isAdmin ? <Entries /> : <Empty title={adminsOnly}>Your role is {role}.</Empty>}
    </Page>
  )
}

export default AuditPage

const Entries = () => {
  const { org } = route.useParams()
  const filters = route.useSearch()
  const navigate = useNavigate()
  const people = usePeople(filters)
  return (
    <>
      <div className="mb-4">
        <Choice
          label="Person"
          value={filters.user}
          options={people}
          onChoose={(user) =>
            void navigate({ to: '/o/$org/audit', params: { org }, search: { user } })
          }
        />
      </div>
      <Panel className="overflow-hidden">
        <List<AuditEntry>
          caption="What people did, newest first"
          path="/v1/audit"
          query={filters}
          columns={columns}
          rowKey={({ id }) => id}
          empty={{ title: 'Nothing yet', text: 'What people change here appears at once.' }}
        />
      </Panel>
    </>
  )
}

/** All members, and whoever has left but is named by an entry that was read. */
const usePeople = (filters: Query): [id: string, name: string][] => {
  const members = useList<Member>('/v1/members', { limit: 100 })
  const { hasNextPage, isFetching, isError, fetchNextPage } = members
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage()
  }, [hasNextPage, isFetching, isError, fetchNextPage])
  // The entries of everybody name others than the chosen person.
  const { rows: ofAll = [] } = useList<AuditEntry>('/v1/audit', { limit: 50 })
  const { rows: shown = [] } = useList<AuditEntry>('/v1/audit', { limit: 50, ...filters })
  const names = new Map([
    ...[...ofAll, ...shown].map(({ user }) => [user.id, user.name] as const),
    ...(members.rows ?? []).map(({ user_id, name }) => [user_id, name] as const),
  ])
  return [...names].toSorted(([, a], [, b]) => a.localeCompare(b))
}

const columns: Column<AuditEntry>[] = [
  { title: 'No.', align: 'right', isWide: true, className: 'w-14', cell: ({ seq }) => seq },
  {
    title: 'Who',
    isWide: true,
    cell: ({ user }) => (
      <>
        <bdi className="font-medium">{user.name}</bdi>
        <span className="block text-sm break-words text-muted">{user.email}</span>
      </>
    ),
  },
  {
    title: 'What',
    cell: ({ user, summary, resource_id, created_at }) => (
      <>
        <span className="narrow:font-medium">{summary}</span>
        <span className="block text-sm wrap-anywhere text-muted roomy:hidden">
          <bdi>{user.name}</bdi> · {user.email}
        </span>
        <span className="flex items-baseline justify-between gap-x-4">
          {resource_id && (
            <span className="block min-w-0 max-w-56 narrow:max-w-32">
              <CopyText text={resource_id} label="the id of what changed" />
            </span>
          )}
          <span className="text-sm text-muted roomy:hidden">
            <Time at={created_at} />
          </span>
        </span>
      </>
    ),
  },
  { title: 'From', isWide: true, className: '@max-[60rem]:hidden', cell: ({ address }) => address },
  {
    title: 'When',
    align: 'right',
    isWide: true,
    cell: ({ created_at }) => <Time at={created_at} isExact />,
  },
]
