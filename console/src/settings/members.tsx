/** Who acts for the organization: members with their roles, and who is invited. */
import { useId, useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Member, MemberInvitation, MemberRole, Page } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Ago, Time, wordsOf } from '../design/format.tsx'
import { ListPanel } from '../design/list-page.tsx'
import { Panel } from '../design/layout.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { Select } from '../design/select.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import type { OpenedMember } from './member-dialogs.tsx'
import { type Changer, changeRefusal, roleOptionsFor } from './member-roles.ts'

const MemberDialog = lazyPart(() => import('./member-dialogs.tsx'))

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

type Open = (opened: OpenedMember) => void

const MemberLists = () => {
  const { role } = useSession()
  const owners = useRead<Page<Member>>('/v1/members', { role: 'owner', limit: 2 })
  const [opened, setOpened] = useState<OpenedMember | null>(null)
  return (
    <>
      <ListPanel<Member>
        title="Members"
        isBeside
        aside={
          <Button icon="plus" onClick={() => setOpened({ name: 'invite' })}>
            Invite
          </Button>
        }
        path="/v1/members"
        columns={memberColumns({ role, ownerCount: owners.data?.data.length }, setOpened)}
        rowKey={({ user_id }) => user_id}
        empty={{ title: 'No members', text: 'Invite the people who work with your documents.' }}
      />
      <ListPanel<MemberInvitation>
        title="Invitations"
        isBeside
        path="/v1/invitations"
        columns={invitationColumns(role, setOpened)}
        rowKey={({ id }) => id}
        empty={{
          title: 'No invitations',
          text: 'Send each person the link of their invitation. They accept it with a password.',
        }}
      />
      {opened && (
        <MemberDialog opened={opened} onOpen={setOpened} onClose={() => setOpened(null)} />
      )}
    </>
  )
}

const memberColumns = (changer: Changer, onOpen: Open): Column<Member>[] => [
  {
    title: 'Person',
    cell: ({ name, email, last_used_at }) => (
      <>
        <bdi className="font-medium wrap-anywhere">{name}</bdi>
        <span className="block text-sm break-all text-muted">{email}</span>
        <span className="block text-sm text-muted roomy:hidden">
          last seen <Ago at={last_used_at} />
        </span>
      </>
    ),
  },
  { title: 'Last seen', isWide: true, cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  {
    title: 'Role',
    align: 'right',
    cell: (member) => <MemberActions member={member} changer={changer} onOpen={onOpen} />,
  },
]

interface MemberActionsProps {
  member: Member
  changer: Changer
  onOpen: Open
}

/** Beside each other where there is room. */
const MemberActions = ({ member, changer, onOpen }: MemberActionsProps) => {
  const id = useId()
  const refusal = changeRefusal(member, changer)
  return (
    <>
      <div className="flex flex-wrap items-center justify-end gap-2">
        {refusal === undefined ? (
          <Select
            aria-label={`Role of ${member.name}`}
            className="w-32"
            value={member.role}
            options={roleOptionsFor(changer.role, member.role)}
            onChange={({ target }) =>
              onOpen({ name: 'role', member, role: target.value as MemberRole })
            }
          />
        ) : (
          wordsOf(member.role)
        )}
        <Button
          kind="quiet"
          aria-label={`Remove ${member.name}`}
          disabledReason={refusal}
          reasonId={id}
          onClick={() => onOpen({ name: 'remove', member })}
        >
          Remove…
        </Button>
      </div>
      {refusal && (
        <p id={id} className="ml-auto max-w-64 text-sm text-muted">
          {refusal}
        </p>
      )}
    </>
  )
}

const invitationColumns = (own: MemberRole, onOpen: Open): Column<MemberInvitation>[] => [
  {
    title: 'E-mail',
    cell: ({ email, role, status, expires_at }) => (
      <>
        <span className="font-medium break-all">{email}</span>
        <span className="block roomy:hidden">
          <StatusMark status={status} />
        </span>
        <span className="block text-sm text-muted roomy:hidden">
          {wordsOf(role)}, until <Time at={expires_at} />
        </span>
      </>
    ),
  },
  { title: 'State', isWide: true, cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Role', isWide: true, cell: ({ role }) => wordsOf(role) },
  { title: 'Until', isWide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    title: 'Actions',
    align: 'right',
    cell: (invitation) =>
      invitation.status === 'pending' &&
      (invitation.role === 'owner' && own !== 'owner' ? (
        <span className="text-sm text-muted">Only an owner revokes it.</span>
      ) : (
        <Button
          kind="quiet"
          aria-label={`Revoke the invitation of ${invitation.email}`}
          onClick={() => onOpen({ name: 'revoke', invitation })}
        >
          Revoke…
        </Button>
      )),
  },
]
