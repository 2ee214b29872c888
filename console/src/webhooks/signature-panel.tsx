/** Which secrets sign, and whether a received signature is of one of them. */
import { useState } from 'react'
import type { Webhook } from '../api/types.ts'
import { Time } from '../design/format.tsx'
import { Panel } from '../design/layout.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const SignatureCheck = lazyPart(() => import('./signature-check.tsx'), {
  height: 'h-60',
  place: 'mt-3',
})

export const SignaturePanel = ({ webhook }: { webhook: Webhook }) => {
  // Closed, it keeps what was entered into it.
  const [wasOpened, setWasOpened] = useState(false)
  const until = webhook.previous_secret_valid_until
  return (
    <Panel title="Signature">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 py-3">
        {until ? (
          <p>
            Two secrets sign until <Time at={until} />: each delivery carries two <code>v1</code>,
            the new one first. A receiver accepts either.
          </p>
        ) : (
          <p className="text-muted">
            One secret signs. After a rotation, the old one signs beside it for 24 hours.
          </p>
        )}
        <details onToggle={() => setWasOpened(true)}>
          <summary className="text-accent">Check a signature that you received</summary>
          {wasOpened && <SignatureCheck />}
        </details>
      </div>
    </Panel>
  )
}
