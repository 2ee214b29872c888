/**
 * What is asked before a key is made, rotated or revoked, and the secret that comes of it. They are
 * loaded together: a secret that is shown once may not wait for a file that may fail to load.
 */
import { ChangeKeyDialog, type KeyChange } from './change-key-dialog.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { SecretDialog, hashIsKept } from './secret-dialog.tsx'
import { TestKey } from './test-key.tsx'

export type OpenedKey = 'new' | KeyChange | { secret: string }

interface KeyDialogProps {
  opened: OpenedKey
  onOpen: (opened: OpenedKey | null) => void
  onClose: () => void
}

const KeyDialog = ({ opened, onOpen, onClose }: KeyDialogProps) => {
  // A replayed request has no secret any more.
  const onSecret = (secret: string | null) => onOpen(secret === null ? null : { secret })
  if (opened === 'new') return <NewKeyDialog onCreated={onSecret} onClose={onClose} />
  if ('key' in opened)
    return <ChangeKeyDialog change={opened} onRotated={onSecret} onClose={onClose} />
  return (
    <SecretDialog
      title="Your new key"
      secret={opened.secret}
      lead={hashIsKept}
      variable="DOCEX_API_KEY"
      onClose={onClose}
    >
      <TestKey secret={opened.secret} />
    </SecretDialog>
  )
}

export default KeyDialog
