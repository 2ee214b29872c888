/** Asks before a key is rotated or revoked. */
import type { Key, RotatedKey } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from '../design/dialog.tsx'
import { Ago } from '../design/format.tsx'
import { notify } from '../design/notices.tsx'
import { useSecretUnderWay } from './secret-dialog.tsx'

export interface KeyChange {
  verb: 'rotate' | 'revoke'
  key: Key
}

interface ChangeKeyDialogProps {
  change: KeyChange
  onRotated: (secret: string | null) => void
  onClose: () => void
}

const leads = {
  rotate:
    'A new key gets the same name, scopes and limits. Both work for 24 hours, then only the new one does.',
  revoke: 'Its next call is refused. This cannot be undone.',
}

export const ChangeKeyDialog = ({ change, onRotated, onClose }: ChangeKeyDialogProps) => {
  const { verb, key } = change
  const write = useWrite<RotatedKey | Key>(({ body }) => {
    if (verb === 'rotate') return onRotated((body as RotatedKey).key)
    notify(`${key.name} is revoked`)
    onClose()
  })
  useSecretUnderWay(verb === 'rotate' && write.isPending)
  const title = verb === 'rotate' ? `Rotate ${key.name}` : `Revoke ${key.name}`
  return (
    <FormDialog
      title={title}
      lead={leads[verb]}
      write={write}
      verb={title}
      isDanger={verb === 'revoke'}
      cancel="Keep it"
      onSubmit={() => write.mutate({ path: `/v1/keys/${key.id}/${verb}` })}
      onClose={onClose}
    >
      <p>
        <code className="font-mono text-xs">{key.prefix}…</code>, last used{' '}
        <Ago at={key.last_used_at} />.
      </p>
    </FormDialog>
  )
}
