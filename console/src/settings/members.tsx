/** Who acts for the organization: members with their roles, and who is invited. */
import { useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import type { Member, MemberInvitation, MemberRole, MintedInvitation } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { Ago, Time, wordsOf } from '../design/format.tsx'
import { ListPanel } from '../design/list-page.tsx'
import { Panel } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { Select } from '../design/select.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { SecretDialog, hashIsKept } from '../keys/secret-dialog.tsx'

export const Members = () => {
  const refusal = useAdminRefusal()
  return refusal === undefined ? (
    <MemberLists />
  ) : (
    <Panel title="Members">
      <p className="px-4 py-3 text-muted">
        Owners and admins see who acts for the organization, and invite others.
      </p>
    </Panel>
  )
}

const MemberLists = () => {
  const [isInviting, setIsInviting] = useState(false)
  const [token, setToken] = useState<string | null>(null)
  return (
    <>
      <ListPanel<Member>
        title="Members"
        aside={
          <Button icon="plus" onClick={() => setIsInviting(true)}>
            Invite
          </Button>
        }
        path="/v1/members"
        columns={memberColumns}
        rowKey={({ user_id }) => user_id}
        empty={{ title: 'No members', text: 'Invite the people who work with your documents.' }}
      />
      <ListPanel<MemberInvitation>
        title="Invitations"
        path="/v1/invitations"
        columns={invitationColumns}
        rowKey={({ id }) => id}
        empty={{
          title: 'No invitations',
          text: 'Send each person the token of their invitation. They accept it with a password.',
        }}
      />
      {isInviting && (
        <InviteDialog
          onClose={() => setIsInviting(false)}
          onInvited={(minted) => {
            setIsInviting(false)
            setToken(minted)
          }}
        />
      )}
      {token && (
        <SecretDialog
          title="Invitation token"
          secret={token}
          lead={hashIsKept}
          onClose={() => setToken(null)}
        />
      )}
    </>
  )
}

const roles: readonly MemberRole[] = [
  'owner',
  'admin',
  'developer',
  'finance',
  'approver',
  'viewer',
]
const roleOptions = roles.map((role) => [role, wordsOf(role)] as const)

const memberColumns: Column<Member>[] = [
  {
    title: 'Person',
    cell: ({ name, email }) => (
      <>
        <span className="font-medium">{name}</span>
        <span className="block text-sm text-muted">{email}</span>
      </>
    ),
  },
  { title: 'Last seen', isWide: true, cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  { title: 'Role', align: 'right', cell: (member) => <RoleField member={member} /> },
]

const RoleField = ({ member }: { member: Member }) => {
  const write = useWrite<Member>(({ body }) =>
    notify(`${body.name} is ${wordsOf(body.role).toLowerCase()}`),
  )
  return (
    <>
      <Select
        aria-label={`Role of ${member.name}`}
        value={member.role}
        options={roleOptions}
        onChange={(event) =>
          write.mutate({
            method: 'PATCH',
            path: `/v1/members/${member.user_id}`,
            body: { role: event.target.value },
          })
        }
      />
      {write.error && (
        <span className="mt-1 block text-sm text-red">{write.error.explanation}</span>
      )}
    </>
  )
}

const invitationColumns: Column<MemberInvitation>[] = [
  { title: 'E-mail', cell: ({ email }) => <span className="font-medium break-all">{email}</span> },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Role', isWide: true, cell: ({ role }) => wordsOf(role) },
  { title: 'Until', isWide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
]

interface InviteDialogProps {
  onInvited: (token: string | null) => void
  onClose: () => void
}

const InviteDialog = ({ onInvited, onClose }: InviteDialogProps) => {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<string>('viewer')
  const write = useWrite<MintedInvitation>(({ body }) => onInvited(body.token))
  return (
    <FormDialog
      title="Invite a person"
      lead="Hand the token over yourself: it is shown once."
      write={write}
      verb="Create invitation"
      obstacle={email === '' ? 'Enter an e-mail address.' : undefined}
      onSubmit={() => write.mutate({ path: '/v1/invitations', body: { email, role } })}
      onClose={onClose}
    >
      <TextField
        label="E-mail"
        param="/email"
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label="Role"
        param="/role"
        options={roleOptions}
        value={role}
        onChange={(event) => setRole(event.target.value)}
      />
    </FormDialog>
  )
}
