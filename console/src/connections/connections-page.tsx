/** With whom one exchanges documents, and invitations in both directions. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import { useSession } from '../api/session.ts'
import type { Connection } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Ago } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { DaysToPay, Exchanged, Owed, OwedInShort, useConnectionSums } from './connection-sums.tsx'
import {
  type Decision,
  nameOf,
  possibleDecisions,
  useDecision,
  decisionWords,
} from './decisions.ts'

const InviteDialog = lazyPart(() => import('./invite-dialog.tsx'))
const EndDialog = lazyPart(() => import('./end-dialog.tsx'))

const ConnectionsPage = () => {
  const [invited, setInvited] = useState<'new' | Connection | null>(null)
  const refusal = useAdminRefusal()
  const sumsOf = useConnectionSums()
  const invite = (
    <Button kind="primary" icon="plus" disabledReason={refusal} onClick={() => setInvited('new')}>
      Invite
    </Button>
  )
  return (
    <ListPage<Connection>
      title="Connections"
      lead="Documents and payments flow only between connected organizations."
      actions={invite}
      caption="Connections"
      path="/v1/connections"
      columns={columnsOf(sumsOf)}
      rowKey={({ id }) => id}
      empty={{
        title: 'No connections',
        text: 'Invite a supplier or a customer by e-mail or by the id of their organization.',
        actions: invite,
      }}
    >
      {invited && (
        <InviteDialog invited={invited} onInvited={setInvited} onClose={() => setInvited(null)} />
      )}
    </ListPage>
  )
}

export default ConnectionsPage

const columnsOf = (sumsOf: ReturnType<typeof useConnectionSums>): Column<Connection>[] => [
  {
    title: 'Organization',
    className: 'roomy:min-w-40',
    cell: (connection) => (
      <>
        <Documents of={connection}>
          <bdi className="font-medium wrap-anywhere">{nameOf(connection)}</bdi>
        </Documents>
        {connection.counterparty?.verified && (
          <span className="ml-2 text-sm whitespace-nowrap text-green">verified</span>
        )}
        <span className="mt-1 block roomy:hidden">
          <StatusMark status={connection.status} />
          <span className="flex flex-wrap gap-x-3 text-sm text-muted">
            <OwedInShort word="They owe" points={sumsOf(connection.id, 'receivable')} />
            <OwedInShort word="You owe" points={sumsOf(connection.id, 'payable')} />
          </span>
        </span>
      </>
    ),
  },
  { title: 'State', isWide: true, cell: ({ status }) => <StatusMark status={status} /> },
  {
    title: 'They owe',
    isWide: true,
    align: 'right',
    cell: (connection) => (
      <OwedLink of={connection} view="receivable" points={sumsOf(connection.id, 'receivable')} />
    ),
  },
  {
    title: 'You owe',
    isWide: true,
    align: 'right',
    cell: (connection) => (
      <OwedLink of={connection} view="payable" points={sumsOf(connection.id, 'payable')} />
    ),
  },
  {
    title: 'Documents',
    isWide: true,
    align: 'right',
    className: '@max-[58rem]:hidden',
    cell: ({ id }) => <Exchanged points={[sumsOf(id, 'issued'), sumsOf(id, 'received')]} />,
  },
  {
    title: 'They pay after',
    isWide: true,
    align: 'right',
    className: '@max-[54rem]:hidden [&:is(th)]:whitespace-normal',
    cell: ({ id }) => <DaysToPay points={sumsOf(id, 'collected')} />,
  },
  {
    title: 'You pay after',
    isWide: true,
    align: 'right',
    className: '@max-[54rem]:hidden [&:is(th)]:whitespace-normal',
    cell: ({ id }) => <DaysToPay points={sumsOf(id, 'paid')} />,
  },
  {
    title: 'Terms',
    isWide: true,
    className: 'pl-6 @max-[66rem]:hidden',
    cell: ({ default_payment_terms: terms }) => terms ?? '–',
  },
  {
    title: 'Connected',
    isWide: true,
    className: '@max-[70rem]:hidden',
    cell: ({ status, updated_at }) => (status === 'active' ? <Ago at={updated_at} /> : '–'),
  },
  { title: 'Actions', align: 'right', cell: (connection) => <Decisions connection={connection} /> },
]

interface DocumentsProps {
  of: Connection
  view?: 'receivable' | 'payable'
  children: ReactNode
}

/** What it says leads to the documents behind it. Who was only invited has none. */
const Documents = ({ of: { id, counterparty }, view, children }: DocumentsProps) => {
  const org = useSession().organization.id
  if (counterparty === null) return children
  return (
    <Link
      to="/o/$org/documents"
      params={{ org }}
      search={{ connection: id, ...(view && { view }) }}
      className="hover:underline"
    >
      {children}
    </Link>
  )
}

interface OwedLinkProps extends Omit<DocumentsProps, 'children'> {
  points: ReturnType<ReturnType<typeof useConnectionSums>>
}

const OwedLink = ({ points, ...documents }: OwedLinkProps) => {
  const owed = <Owed points={points} />
  return points?.length ? <Documents {...documents}>{owed}</Documents> : owed
}

const Decisions = ({ connection }: { connection: Connection }) => {
  const refusal = useAdminRefusal()
  const [asked, setAsked] = useState<Decision | null>(null)
  const accept = useDecision(connection)
  return (
    <span className="inline-flex gap-2 narrow:flex-col">
      {possibleDecisions(connection).map((name) => (
        <Button
          key={name}
          isWrite
          kind={name === 'accept' ? 'primary' : 'plain'}
          aria-label={`${decisionWords(name, connection).title} ${nameOf(connection)}`}
          disabledReason={refusal ?? (accept.isPending ? 'Sending' : undefined)}
          onClick={() => (name === 'accept' ? accept.decide(name) : setAsked(name))}
        >
          {`${decisionWords(name, connection).verb}${name === 'accept' ? '' : '…'}`}
        </Button>
      ))}
      {accept.error && (
        <span role="alert" className="max-w-60 text-left text-sm text-red">
          {accept.error.explanation}
        </span>
      )}
      {asked && (
        <EndDialog connection={connection} decision={asked} onClose={() => setAsked(null)} />
      )}
    </span>
  )
}
