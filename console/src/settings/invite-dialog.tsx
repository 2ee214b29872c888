/** Invites a person by an address, and shows the link by which the person joins. */
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { SignInMethods } from '../api/sign-in-methods.ts'
import type { MintedInvitation } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Time, wordsOf } from '../design/format.tsx'
import { SelectField } from '../design/select-field.tsx'
import { SecretDialog, useSecretUnderWay } from '../keys/secret-dialog.tsx'
import { roleOptionsFor } from './member-roles.ts'

interface InviteDialogProps {
  onInvited: (invitation: MintedInvitation) => void
  onClose: () => void
}

export const InviteDialog = ({ onInvited, onClose }: InviteDialogProps) => {
  const session = useSession()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<string>('viewer')
  const write = useWrite<MintedInvitation>(({ body }) => onInvited(body))
  useSecretUnderWay(write.isPending)
  return (
    <FormDialog
      title="Invite a person"
      lead="You get a link to hand over: it is shown once."
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
        options={roleOptionsFor(session.role)}
        value={role}
        onChange={(event) => setRole(event.target.value)}
      />
    </FormDialog>
  )
}

interface InvitationLinkProps {
  invitation: MintedInvitation
  token: string
  onClose: () => void
}

export const InvitationLinkDialog = ({ invitation, token, onClose }: InvitationLinkProps) => {
  const { organization } = useSession()
  const methods = useRead<SignInMethods>('/auth/methods', {}, { refetchEveryMs: false })
  const { email, role, expires_at } = invitation
  return (
    <SecretDialog
      title={`Invitation of ${email}`}
      lead={
        <>
          Whoever has this link joins {organization.name} as {wordsOf(role).toLowerCase()}, until it
          expires: <Time at={expires_at} />. It works once, and is not shown again.
        </>
      }
      secret={`${location.origin}/app/invitation#t=${token}`}
      done="Done"
      onClose={onClose}
    >
      {methods.data && (
        <p className="mt-3">
          {methods.data.magic_link === 'smtp'
            ? `It was also sent to ${email} by e-mail. You can hand the link over too.`
            : `No e-mail is sent from here: hand the link to ${email} yourself.`}
        </p>
      )}
    </SecretDialog>
  )
}
