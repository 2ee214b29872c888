/** With whom one exchanges documents, and invitations in both directions. */
import { useState } from 'react'
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

const ConnectionsPage = () => {
  const [isInviting, setIsInviting] = useState(false)
  const invite = (
    <Button kind="primary" icon="plus" onClick={() => setIsInviting(true)}>
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
      columns={columns}
      rowKey={({ id }) => id}
      empty={{
        title: 'No connections',
        text: 'Invite a supplier or a customer by e-mail or by the id of their organization.',
        actions: invite,
      }}
    >
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </ListPage>
  )
}

export default ConnectionsPage

const nameOf = ({ counterparty, invited_email }: Connection): string =>
  counterparty?.name ?? invited_email ?? 'Unknown'

const columns: Column<Connection>[] = [
  {
    title: 'Organization',
    cell: (connection) => (
      <>
        <span className="font-medium">{nameOf(connection)}</span>
        {connection.counterparty?.verified && (
          <span className="ml-2 text-sm text-green">verified</span>
        )}
      </>
    ),
  },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Terms', isWide: true, cell: ({ default_payment_terms: terms }) => terms ?? '–' },
  { title: 'Currency', isWide: true, cell: ({ currency }) => currency },
  { title: 'Since', isWide: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  { title: 'Decide', align: 'right', cell: (connection) => <Decisions connection={connection} /> },
]

const decisions = { accept: 'active', decline: 'declined', end: 'ended' } as const

const Decisions = ({ connection }: { connection: Connection }) => {
  const write = useWrite<Connection>(({ body }) => notify(`${nameOf(body)}: ${body.status}`))
  const moves = Object.entries(decisions).filter(([, to]) =>
    connection.allowed_transitions.includes(to),
  )
  return (
    <span className="inline-flex gap-2 max-md:flex-col">
      {moves.map(([verb]) => (
        <Button
          key={verb}
          kind={verb === 'accept' ? 'primary' : 'plain'}
          aria-label={`${verb} the connection with ${nameOf(connection)}`}
          disabledReason={write.error?.explanation}
          onClick={() => write.mutate({ path: `/v1/connections/${connection.id}/${verb}` })}
        >
          {verb.charAt(0).toUpperCase() + verb.slice(1)}
        </Button>
      ))}
    </span>
  )
}

const InviteDialog = ({ onClose }: { onClose: () => void }) => {
  const [to, setTo] = useState('')
  const [terms, setTerms] = useState('Net 30')
  const write = useWrite<Connection>(() => {
    notify('The invitation is sent')
    onClose()
  })
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
      obstacle={to === '' ? 'Say whom to invite' : undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="E-mail or organization id"
        value={to}
        onChange={(event) => setTo(event.target.value)}
      />
      <TextField
        label="Default payment terms"
        hint="As you would write them: Net 30, 2/10 net 30, EOM."
        value={terms}
        onChange={(event) => setTerms(event.target.value)}
      />
    </FormDialog>
  )
}
