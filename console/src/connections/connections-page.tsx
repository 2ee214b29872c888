/** With whom one exchanges documents, and invitations in both directions. */
import { useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import type { Connection } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Ago } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { notify } from '../design/notices.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { InvitationText } from './invitation-text.tsx'
import { DaysToPay, Exchanged, Owed, OwedInShort, useConnectionSums } from './connection-sums.tsx'

const ConnectionsPage = () => {
  const [isInviting, setIsInviting] = useState(false)
  const [invited, setInvited] = useState<Connection | null>(null)
  const refusal = useAdminRefusal()
  const sumsOf = useConnectionSums()
  const invite = (
    <Button kind="primary" icon="plus" disabledReason={refusal} onClick={() => setIsInviting(true)}>
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
      refetchEveryMs={5_000}
      columns={columnsOf(sumsOf)}
      rowKey={({ id }) => id}
      empty={{
        title: 'No connections',
        text: 'Invite a supplier or a customer by e-mail or by the id of their organization.',
        actions: invite,
      }}
    >
      {isInviting && (
        <InviteDialog
          onInvited={(connection) => {
            setIsInviting(false)
            setInvited(connection)
          }}
          onClose={() => setIsInviting(false)}
        />
      )}
      {invited && <InvitationText connection={invited} onClose={() => setInvited(null)} />}
    </ListPage>
  )
}

export default ConnectionsPage

const nameOf = ({ counterparty, invited_email }: Connection): string =>
  counterparty?.name ?? invited_email ?? 'Unknown'

const columnsOf = (sumsOf: ReturnType<typeof useConnectionSums>): Column<Connection>[] => [
  {
    title: 'Organization',
    cell: (connection) => (
      <>
        <span className="font-medium">{nameOf(connection)}</span>
        {connection.counterparty?.verified && (
          <span className="ml-2 text-sm text-green">verified</span>
        )}
        <span className="mt-1 block md:hidden">
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
    cell: ({ id }) => <Owed points={sumsOf(id, 'receivable')} />,
  },
  {
    title: 'You owe',
    isWide: true,
    align: 'right',
    cell: ({ id }) => <Owed points={sumsOf(id, 'payable')} />,
  },
  {
    title: 'Documents',
    isWide: true,
    align: 'right',
    cell: ({ id }) => <Exchanged points={[sumsOf(id, 'issued'), sumsOf(id, 'received')]} />,
  },
  {
    title: 'They pay after',
    isWide: true,
    align: 'right',
    cell: ({ id }) => <DaysToPay points={sumsOf(id, 'collected')} />,
  },
  {
    title: 'You pay after',
    isWide: true,
    align: 'right',
    cell: ({ id }) => <DaysToPay points={sumsOf(id, 'paid')} />,
  },
  {
    title: 'Terms',
    isWide: true,
    className: 'pl-6',
    cell: ({ default_payment_terms: terms }) => terms ?? '–',
  },
  { title: 'Connected', isWide: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  { title: 'Actions', align: 'right', cell: (connection) => <Decisions connection={connection} /> },
]

const decisions = {
  accept: {
    to: 'active',
    verb: 'Accept',
    title: 'Accept the connection',
    lead: 'Both can then issue documents to each other.',
  },
  decline: {
    to: 'declined',
    verb: 'Decline',
    title: 'Decline the connection',
    lead: 'The invitation ends.',
  },
  end: {
    to: 'ended',
    verb: 'End connection',
    title: 'End connection',
    lead: 'No new documents go between you. Those that exist run on. This cannot be undone.',
  },
} as const

type Decision = keyof typeof decisions

const Decisions = ({ connection }: { connection: Connection }) => {
  const refusal = useAdminRefusal()
  const [asked, setAsked] = useState<Decision | null>(null)
  const accept = useDecision(connection)
  const possible = (Object.keys(decisions) as Decision[]).filter((name) =>
    connection.allowed_transitions.includes(decisions[name].to),
  )
  return (
    <span className="inline-flex gap-2 max-md:flex-col">
      {possible.map((name) => (
        <Button
          key={name}
          isWrite
          kind={name === 'accept' ? 'primary' : 'plain'}
          aria-label={`${decisions[name].title} with ${nameOf(connection)}`}
          disabledReason={refusal ?? (accept.isPending ? 'Sending' : undefined)}
          onClick={() => (name === 'accept' ? accept.decide(name) : setAsked(name))}
        >
          {decisions[name].verb}
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

const useDecision = (connection: Connection, onDone?: () => void) => {
  const write = useWrite<Connection>(({ body }) => {
    notify(`${nameOf(body)}: ${body.status}`)
    onDone?.()
  })
  const decide = (name: Decision) =>
    write.mutate({ path: `/v1/connections/${connection.id}/${name}` })
  return { decide, error: write.error, isPending: write.isPending }
}

interface EndDialogProps {
  connection: Connection
  decision: Decision
  onClose: () => void
}

const EndDialog = ({ connection, decision, onClose }: EndDialogProps) => {
  const { decide, ...write } = useDecision(connection, onClose)
  const { verb, title, lead } = decisions[decision]
  return (
    <FormDialog
      title={`${title} with ${nameOf(connection)}`}
      lead={lead}
      write={write}
      verb={verb}
      isDanger
      cancel="Keep it as it is"
      onSubmit={() => decide(decision)}
      onClose={onClose}
    >
      {null}
    </FormDialog>
  )
}

interface InviteDialogProps {
  onInvited: (connection: Connection) => void
  onClose: () => void
}

const InviteDialog = ({ onInvited, onClose }: InviteDialogProps) => {
  const [to, setTo] = useState('')
  const [terms, setTerms] = useState('Net 30')
  const write = useWrite<Connection>(({ body }) => onInvited(body))
  const submit = () =>
    write.mutate({
      path: '/v1/connections',
      body: {
        ...(to.includes('@') ? { email: to } : { organization_id: to }),
        ...(terms === '' ? {} : { default_payment_terms: terms }),
      },
    })
  return (
    <FormDialog
      title="Invite an organization"
      lead="They accept or decline."
      write={write}
      verb="Send invitation"
      obstacle={to === '' ? 'Say whom to invite.' : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="E-mail or organization id"
        param={['/email', '/organization_id']}
        value={to}
        onChange={(event) => setTo(event.target.value)}
      />
      <TextField
        label="Default payment terms"
        param="/default_payment_terms"
        hint="As you would write them: Net 30, 2/10 net 30, EOM."
        value={terms}
        onChange={(event) => setTerms(event.target.value)}
      />
    </FormDialog>
  )
}
