/** Invites an organization, and says what to tell it then. */
import { useState } from 'react'
import type { Connection } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { InvitationText } from './invitation-text.tsx'

interface InviteDialogProps {
  /** Whom one has invited, or nobody yet. */
  invited: 'new' | Connection
  onInvited: (connection: Connection) => void
  onClose: () => void
}

const InviteDialog = ({ invited, onInvited, onClose }: InviteDialogProps) =>
  invited === 'new' ? (
    <InviteForm onInvited={onInvited} onClose={onClose} />
  ) : (
    <InvitationText connection={invited} onClose={onClose} />
  )

export default InviteDialog

const InviteForm = ({ onInvited, onClose }: Omit<InviteDialogProps, 'invited'>) => {
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
