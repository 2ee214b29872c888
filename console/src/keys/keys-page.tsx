/** Keys of programs: what each may do, who still uses an old one, and the secret once. */
import { useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import type { Key } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Ago, Money, Time } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { useLastUse } from './calls-of-key.ts'
import type { KeyChange } from './change-key-dialog.tsx'
import type { OpenedKey } from './key-dialogs.tsx'
import { KeyRotations } from './key-rotations.tsx'
import { scopesText } from './scope-texts.ts'
import { lazyPart } from '../design/lazy-part.tsx'

const KeyDialog = lazyPart(() => import('./key-dialogs.tsx'))

const KeysPage = () => {
  const [opened, setOpened] = useState<OpenedKey | null>(null)
  const refusal = useAdminRefusal()
  const create = (
    <Button kind="primary" icon="plus" disabledReason={refusal} onClick={() => setOpened('new')}>
      New key
    </Button>
  )
  return (
    <ListPage<Key>
      title="Keys"
      lead="A key acts for the whole organization, within its scopes. Its secret is shown once."
      actions={create}
      caption="Keys"
      path="/v1/keys"
      columns={columnsOf(setOpened)}
      rowKey={({ id }) => id}
      empty={{
        title: 'No keys',
        text: 'A program needs a key to call the API. Give it only the scopes that it uses.',
        actions: create,
      }}
    >
      {refusal === undefined && <KeyRotations onChange={setOpened} />}
      {opened && <KeyDialog opened={opened} onOpen={setOpened} onClose={() => setOpened(null)} />}
    </ListPage>
  )
}

export default KeysPage

const columnsOf = (onChange: (change: KeyChange) => void): Column<Key>[] => [
  {
    title: 'Key',
    cell: ({ name, prefix, status }) => (
      <>
        <bdi className="font-medium">{name}</bdi>
        <code className="block font-mono text-xs text-muted">{prefix}…</code>
        <span className="mt-1 block roomy:hidden">
          <StatusMark status={status} />
        </span>
      </>
    ),
  },
  { title: 'State', isWide: true, cell: ({ status }) => <StatusMark status={status} /> },
  {
    title: 'Scopes',
    isWide: true,
    className: 'max-w-[17.5rem]',
    cell: (key) => <KeyScopes of={key} />,
  },
  {
    title: 'Limits',
    isWide: true,
    className: '@max-[60rem]:hidden max-w-[13.75rem] text-sm text-muted',
    cell: (key) => <Limits of={key} />,
  },
  { title: 'Last used', isWide: true, cell: (key) => <LastUse of={key} /> },
  {
    title: 'Expires',
    isWide: true,
    className: '@max-[54rem]:hidden',
    cell: ({ expires_at }) => <Time at={expires_at} absent="never" />,
  },
  {
    title: 'Actions',
    align: 'right',
    cell: (key) =>
      (key.status === 'active' || key.status === 'rotating') && (
        <span className="inline-flex gap-2 narrow:flex-col">
          {key.status === 'active' && (
            <Button
              aria-label={`Rotate ${key.name}`}
              onClick={() => onChange({ verb: 'rotate', key })}
            >
              Rotate…
            </Button>
          )}
          <Button
            aria-label={`Revoke ${key.name}`}
            onClick={() => onChange({ verb: 'revoke', key })}
          >
            Revoke…
          </Button>
        </span>
      ),
  },
]

/** In words, and as the API names them for whoever opens it. */
const KeyScopes = ({ of: { scopes } }: { of: Key }) => (
  <details className="text-sm">
    <summary className="min-h-6 leading-6">{scopesText(scopes)}</summary>
    <code className="mt-1 block font-mono text-xs text-muted">{scopes.join(' ')}</code>
  </details>
)

const LastUse = ({ of }: { of: Key }) => <Ago at={useLastUse(of)} />

const plain = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2 })

/** Limits are of each currency, so they have none. */
const Limits = ({ of }: { of: Key }) => {
  const { payment_limits: limits, allowed_cidrs: ranges, used_today: used = [] } = of
  const texts = [
    ...(limits?.max_per_payment == null ? [] : [`${plain.format(limits.max_per_payment)} each`]),
    ...(limits?.daily_volume == null ? [] : [`${plain.format(limits.daily_volume)} a day`]),
    ...ranges,
  ]
  if (texts.length === 0) return <span className="text-faint">–</span>
  return (
    <>
      {texts.join(', ')}
      {used.map(({ currency, used: amount, left }) => (
        <span key={currency} className="block text-ink">
          <Money amount={amount} currency={currency} /> used today,{' '}
          <Money amount={left} currency={currency} /> left
        </span>
      ))}
    </>
  )
}
