/** Whether the second factor of the signed-in person is on, and what turns it on and off. */
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import type { FactorState } from '../api/second-factor.ts'
import { Button } from '../design/button.tsx'
import { Time } from '../design/format.tsx'
import { Fact, Panel, Region } from '../design/layout.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const TurnOnDialog = lazyPart(() => import('./turn-on-factor-dialog.tsx'))
const TurnOffDialog = lazyPart(() => import('./turn-off-factor-dialog.tsx'))

export const SecondFactor = () => {
  const read = useRead<FactorState>('/auth/recovery-codes')
  const [dialog, setDialog] = useState<'on' | 'off' | null>(null)
  const close = () => {
    setDialog(null)
    void read.refetch()
  }
  return (
    <Panel title="Second factor">
      <div className="px-4 py-3">
        <Region read={read} skeleton="h-24">
          {(state) => (
            <>
              {state.enabled_at === null ? (
                <p className="mb-3 text-muted">
                  Off. With it, signing in also needs a code from an app on your phone. Moving live
                  money needs it, or a passkey.
                </p>
              ) : (
                <dl className="mb-3">
                  <Fact term="On since">
                    <Time at={state.enabled_at} />
                  </Fact>
                  <Fact term="Recovery codes left">{state.recovery_codes_left}</Fact>
                </dl>
              )}
              <Button onClick={() => setDialog(state.enabled_at === null ? 'on' : 'off')}>
                {state.enabled_at === null ? 'Turn on…' : 'Turn off…'}
              </Button>
            </>
          )}
        </Region>
      </div>
      {dialog === 'on' && <TurnOnDialog onClose={close} />}
      {dialog === 'off' && <TurnOffDialog onClose={close} />}
    </Panel>
  )
}
