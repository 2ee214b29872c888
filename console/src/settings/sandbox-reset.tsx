/** Puts a sandbox back to where it began. */
import { useState } from 'react'
import { useScopeRefusal } from '../api/permissions.ts'
import { Button } from '../design/button.tsx'
import { Panel } from '../design/layout.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const ResetDialog = lazyPart(() => import('./reset-dialog.tsx'))

export const SandboxReset = () => {
  const refusal = useScopeRefusal('documents:write')
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Panel title="Reset">
      <div className="px-4 py-3">
        <p className="mb-3 text-muted">
          Both sides of the practice pair become as they were at first: the first documents, full
          accounts, numbers from 1 and the real time.
        </p>
        <Button disabledReason={refusal} onClick={() => setIsOpen(true)}>
          Reset the sandbox…
        </Button>
      </div>
      {isOpen && <ResetDialog onClose={() => setIsOpen(false)} />}
    </Panel>
  )
}
