/** The passkeys of the signed-in person, and what adds and removes them. */
import { useState } from 'react'
import { type Passkey, knowsPasskeys } from '../api/passkeys.ts'
import { useRead, useRefresh } from '../api/reads.ts'
import type { Page } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Ago } from '../design/format.tsx'
import { Panel, Region } from '../design/layout.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const AddPasskeyDialog = lazyPart(() => import('./add-passkey-dialog.tsx'))
const RemovePasskeyDialog = lazyPart(() => import('./remove-passkey-dialog.tsx'))

export const Passkeys = () => {
  const read = useRead<Page<Passkey>>('/auth/passkeys')
  const refresh = useRefresh()
  const [dialog, setDialog] = useState<Passkey | 'add' | null>(null)
  const close = () => {
    setDialog(null)
    void refresh()
  }
  const obstacle = knowsPasskeys() ? undefined : 'This browser knows no passkeys here'
  return (
    <Panel title="Passkeys">
      <div className="px-4 py-3">
        <Region read={read} skeleton="h-24">
          {({ data }) =>
            data.length === 0 ? (
              <p className="mb-3 text-muted">
                None. With a passkey you sign in by your fingerprint, face or PIN, and move live
                money.
              </p>
            ) : (
              <ul className="mb-3 divide-y divide-line">
                {data.map((passkey) => (
                  <li key={passkey.id} className="flex items-center justify-between gap-3 py-2">
                    <div className="min-w-0">
                      <p className="font-medium break-words">{passkey.name}</p>
                      <p className="text-sm text-muted">
                        Last used: <Ago at={passkey.last_used_at} />
                      </p>
                    </div>
                    <Button
                      aria-label={`Remove ${passkey.name}`}
                      onClick={() => setDialog(passkey)}
                    >
                      Remove…
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Region>
        <Button disabledReason={obstacle} onClick={() => setDialog('add')}>
          Add a passkey
        </Button>
      </div>
      {dialog === 'add' && <AddPasskeyDialog onClose={close} />}
      {dialog !== 'add' && dialog !== null && (
        <RemovePasskeyDialog passkey={dialog} onClose={close} />
      )}
    </Panel>
  )
}
