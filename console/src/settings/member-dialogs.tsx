/**
 * What is asked before a person is invited, a member gets another role or goes, and an invitation
 * ends; and the link of an invitation, which is loaded with them: see keys/key-dialogs.
 */
import { isAdmin } from '../api/permissions.ts'
import { useSession } from '../api/session.ts'
import type { Member, MemberInvitation, MemberRole, MintedInvitation } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { wordsOf } from '../design/format.tsx'
import { notify } from '../design/notices.tsx'
import { roles } from '../../../src/contract/roles.ts'
import { InvitationLinkDialog, InviteDialog } from './invite-dialog.tsx'

export type OpenedMember =
  | { name: 'invite' }
  | { name: 'link'; invitation: MintedInvitation; token: string }
  | { name: 'role'; member: Member; role: MemberRole }
  | { name: 'remove'; member: Member }
  | { name: 'revoke'; invitation: MemberInvitation }

interface MemberDialogProps {
  opened: OpenedMember
  onOpen: (opened: OpenedMember | null) => void
  onClose: () => void
}

const MemberDialog = ({ opened, onOpen, onClose }: MemberDialogProps) => {
  if (opened.name === 'link') return <InvitationLinkDialog {...opened} onClose={onClose} />
  if (opened.name === 'role') return <ChangeRoleDialog {...opened} onClose={onClose} />
  if (opened.name === 'remove') return <RemoveMemberDialog {...opened} onClose={onClose} />
  if (opened.name === 'revoke') return <RevokeInvitationDialog {...opened} onClose={onClose} />
  const showLink = (invitation: MintedInvitation) =>
    onOpen(invitation.token === null ? null : { name: 'link', invitation, token: invitation.token })
  return <InviteDialog onInvited={showLink} onClose={onClose} />
}

export default MemberDialog

interface ChangeRoleProps {
  member: Member
  role: MemberRole
  onClose: () => void
}

const ChangeRoleDialog = ({ member, role, onClose }: ChangeRoleProps) => {
  const { user } = useSession()
  const write = useWrite<Member>(({ body }) => {
    notify(`${body.name} is ${wordsOf(body.role).toLowerCase()}`)
    onClose()
  })
  const path = `/v1/members/${member.user_id}`
  return (
    <FormDialog
      title={`Change the role of ${member.name} to ${wordsOf(role)}?`}
      lead={`From now on it allows ${roles[role].allows}.`}
      write={write}
      verb="Change the role"
      cancel="Keep it"
      onSubmit={() => write.mutate({ method: 'PATCH', path, body: { role } })}
      onClose={onClose}
    >
      {member.user_id === user.id && !isAdmin({ role }) && (
        <p>This is you: you then see no members, and cannot change it back yourself.</p>
      )}
    </FormDialog>
  )
}

interface RemoveMemberProps {
  member: Member
  onClose: () => void
}

const RemoveMemberDialog = ({ member, onClose }: RemoveMemberProps) => {
  const { organization, user } = useSession()
  const { name, email, user_id } = member
  const write = useWrite<Member>(() => {
    notify(`${name} is removed.`)
    onClose()
  })
  return (
    <FormDialog
      title={`Remove ${name}?`}
      lead={`${email} loses access to ${organization.name} at once, on every device.`}
      write={write}
      verb="Remove"
      isDanger
      cancel="Keep the member"
      onSubmit={() => write.mutate({ method: 'DELETE', path: `/v1/members/${user_id}` })}
      onClose={onClose}
    >
      {user_id === user.id && (
        <p>
          This is you: you are signed out, and only another owner or admin can invite you again.
        </p>
      )}
      <p className="text-muted">
        What {name} did stays in the records. API keys that {name} created go on: revoke those that
        should not.
      </p>
    </FormDialog>
  )
}

interface RevokeInvitationProps {
  invitation: MemberInvitation
  onClose: () => void
}

const RevokeInvitationDialog = ({ invitation, onClose }: RevokeInvitationProps) => {
  const { id, email } = invitation
  const write = useWrite<MemberInvitation>(() => {
    notify(`The invitation of ${email} is revoked.`)
    onClose()
  })
  return (
    <FormDialog
      title={`Revoke the invitation of ${email}?`}
      lead="Its link stops working at once. You can invite the person again."
      write={write}
      verb="Revoke"
      isDanger
      cancel="Keep it"
      onSubmit={() => write.mutate({ method: 'DELETE', path: `/v1/invitations/${id}` })}
      onClose={onClose}
    >
      {null}
    </FormDialog>
  )
}
