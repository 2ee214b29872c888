/** Keys of programs: what each may do, who still uses an old one, and the secret once. */
import { Suspense, lazy, useState } from 'react'
import type { Key, RotatedKey } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { Ago, Time } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { SecretDialog } from './secret-dialog.tsx'

const NewKeyDialog = lazy(() => import('./new-key-dialog.tsx'))

type Change = { verb: 'rotate' | 'revoke'; key: Key } | null

const KeysPage = () => {
  const [isCreating, setIsCreating] = useState(false)
  const [change, setChange] = useState<Change>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setIsCreating(true)}>
      New key
    </Button>
  )
  const showSecret = (key: string | null) => {
    setIsCreating(false)
    setChange(null)
    setSecret(key)
  }
  return (
    <ListPage<Key>
      title="Keys"
      lead="A key acts for the whole organization, within its scopes. Its secret is shown once."
      actions={create}
      caption="Keys"
      path="/v1/keys"
      columns={columnsOf(setChange)}
      rowKey={({ id }) => id}
      empty={{
        title: 'No keys',
        text: 'A program needs a key to call the API. Give it only the scopes that it uses.',
        actions: create,
      }}
    >
      <Suspense fallback={null}>
        {isCreating && <NewKeyDialog onCreated={showSecret} onClose={() => setIsCreating(false)} />}
      </Suspense>
      {change && (
        <ChangeDialog change={change} onRotated={showSecret} onClose={() => setChange(null)} />
      )}
      {secret && (
        <SecretDialog
          title="Your new key"
          secret={secret}
          command={`curl '${location.origin}/v1/me' -H 'Authorization: Bearer ${secret}'`}
          onClose={() => setSecret(null)}
        />
      )}
    </ListPage>
  )
}

export default KeysPage

const columnsOf = (onChange: (change: Change) => void): Column<Key>[] => [
  {
    title: 'Key',
    cell: ({ name, prefix }) => (
      <>
        <span className="font-medium">{name}</span>
        <code className="block font-mono text-xs text-muted">{prefix}…</code>
      </>
    ),
  },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  {
    title: 'Scopes',
    isWide: true,
    className: 'max-w-[280px]',
    cell: ({ scopes }) => <span className="text-sm text-muted">{scopes.join(', ')}</span>,
  },
  { title: 'Last used', isWide: true, cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  {
    title: 'Expires',
    isWide: true,
    cell: ({ expires_at }) => <Time at={expires_at} absent="never" />,
  },
  {
    title: 'Change',
    align: 'right',
    cell: (key) =>
      (key.status === 'active' || key.status === 'rotating') && (
        <span className="inline-flex gap-2 max-md:flex-col">
          {key.status === 'active' && (
            <Button
              aria-label={`Rotate ${key.name}`}
              onClick={() => onChange({ verb: 'rotate', key })}
            >
              Rotate
            </Button>
          )}
          <Button
            aria-label={`Revoke ${key.name}`}
            onClick={() => onChange({ verb: 'revoke', key })}
          >
            Revoke
          </Button>
        </span>
      ),
  },
]

interface ChangeDialogProps {
  change: NonNullable<Change>
  onRotated: (secret: string | null) => void
  onClose: () => void
}

const leads = {
  rotate:
    'A new key gets the same name, scopes and limits. Both work for 24 hours, then only the new one does.',
  revoke: 'Its next call is refused. This cannot be undone.',
}

const ChangeDialog = ({ change: { verb, key }, onRotated, onClose }: ChangeDialogProps) => {
  const write = useWrite<RotatedKey | Key>(({ body }) =>
    verb === 'rotate' ? onRotated((body as RotatedKey).key) : onClose(),
  )
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
      {key.last_used_at && (
        <p>
          Last used <Ago at={key.last_used_at} />.
        </p>
      )}
    </FormDialog>
  )
}
