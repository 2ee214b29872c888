/** What to tell whom one has invited: the service need not send mail. */
import type { Connection } from '../api/types.ts'
import { useSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { TextArea } from '../design/field.tsx'
import { notify } from '../design/notices.tsx'
import { copyText } from '../design/copy-text.ts'

interface InvitationTextProps {
  connection: Connection
  onClose: () => void
}

export const InvitationText = ({ connection, onClose }: InvitationTextProps) => {
  const { organization } = useSession()
  const text = textOf(connection, organization.name)
  const copy = () =>
    void copyText(text, () => {
      notify('Copied the text')
      onClose()
    })
  return (
    <Dialog
      title="The invitation waits for them"
      lead="They find it under Connections. Tell them, for example with this text."
      onClose={onClose}
    >
      <TextArea label="Text to pass on" rows={9} readOnly value={text} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button kind="primary" icon="copy" data-first onClick={copy}>
          Copy
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const textOf = ({ id, invited_email, counterparty }: Connection, from: string): string => {
  const who = invited_email ?? counterparty?.name ?? 'your organization'
  return [
    `${from} invites you to exchange invoices, orders and payments as one shared record.`,
    '',
    `1. Sign in as ${who}: ${location.origin}/app`,
    `2. Open Connections, and accept the invitation of ${from} (${id}).`,
  ].join('\n')
}
