/** The organization, its people, and the clock of a sandbox. */
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Clock, Member, MemberInvitation, MemberRole, MintedInvitation } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { Ago, Time, wordsOf } from '../design/format.tsx'
import { List } from '../design/list-page.tsx'
import { CopyText, Fact, Page, Panel, Refusal, Region } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { SecretDialog } from '../keys/secret-dialog.tsx'

const SettingsPage = () => {
  const { organization, user, role } = useSession()
  const [isInviting, setIsInviting] = useState(false)
  const [token, setToken] = useState<string | null>(null)
  const invite = (
    <Button icon="plus" onClick={() => setIsInviting(true)}>
      Invite
    </Button>
  )
  return (
    <Page title="Settings" lead="Who acts for this organization, and as what.">
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_360px]">
        <div className="grid min-w-0 gap-6">
          <Panel title="Members" aside={invite}>
            <List<Member>
              caption="Members"
              path="/v1/members"
              columns={memberColumns}
              rowKey={({ user_id }) => user_id}
              empty={{
                title: 'No members',
                text: 'Invite the people who work with your documents.',
              }}
            />
          </Panel>
          <Panel title="Invitations">
            <List<MemberInvitation>
              caption="Invitations, newest first"
              path="/v1/invitations"
              columns={invitationColumns}
              rowKey={({ id }) => id}
              empty={{
                title: 'No invitations',
                text: 'Each is a token that its receiver accepts with a password.',
              }}
            />
          </Panel>
        </div>
        <div className="grid gap-6">
          <Panel title="Organization">
            <dl className="px-4 py-2">
              <Fact term="Name">{organization.name}</Fact>
              <Fact term="Mode">{organization.mode}</Fact>
              <Fact term="Id">
                <CopyText text={organization.id} label="the organization id" />
              </Fact>
              <Fact term="You">{user.email}</Fact>
              <Fact term="Role">{wordsOf(role)}</Fact>
            </dl>
          </Panel>
          {organization.mode === 'sandbox' && <SandboxClock />}
        </div>
      </div>
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
        <SecretDialog title="Invitation token" secret={token} onClose={() => setToken(null)} />
      )}
    </Page>
  )
}

export default SettingsPage

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
      <select
        aria-label={`Role of ${member.name}`}
        value={member.role}
        onChange={(event) =>
          write.mutate({
            method: 'PATCH',
            path: `/v1/members/${member.user_id}`,
            body: { role: event.target.value },
          })
        }
        className="h-8 rounded-md border border-edge bg-raised px-2.5 max-md:h-10"
      >
        {roleOptions.map(([role, text]) => (
          <option key={role} value={role}>
            {text}
          </option>
        ))}
      </select>
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
    <Dialog
      title="Invite a person"
      lead="Hand the token over yourself: it is shown once."
      onClose={onClose}
    >
      <div className="grid gap-4">
        <TextField
          label="E-mail"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label="Role"
          options={roleOptions}
          value={role}
          onChange={(event) => setRole(event.target.value)}
        />
        {write.error && <Refusal error={write.error} />}
      </div>
      <DialogActions>
        <Button onClick={onClose}>Not now</Button>
        <Button
          kind="primary"
          disabledReason={email === '' ? 'Enter an e-mail address' : undefined}
          onClick={() => write.mutate({ path: '/v1/invitations', body: { email, role } })}
        >
          Create invitation
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const SandboxClock = () => {
  const read = useRead<Clock>('/v1/sandbox/clock')
  const write = useWrite<Clock>(({ body }) =>
    notify(`It is ${body.now.slice(0, 10)} in this sandbox`),
  )
  return (
    <Panel title="Clock of the sandbox">
      <div className="px-4 py-3">
        <Region read={read}>
          {({ now }) => (
            <p>
              <Time at={now} isExact />
            </p>
          )}
        </Region>
        <p className="mt-1 text-sm text-muted">
          Due dates, schedules and simulated payments follow it.
        </p>
        <div className="mt-3 flex flex-wrap gap-2">
          {[
            ['P1D', 'A day'],
            ['P7D', 'A week'],
            ['P30D', 'A month'],
          ].map(([advance_by, text]) => (
            <Button
              key={advance_by}
              icon="clock"
              onClick={() => write.mutate({ path: '/v1/sandbox/clock', body: { advance_by } })}
            >
              {text} on
            </Button>
          ))}
        </div>
        {write.error && (
          <div className="mt-3">
            <Refusal error={write.error} />
          </div>
        )}
      </div>
    </Panel>
  )
}
