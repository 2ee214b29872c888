/** Asks for a passkey, and signs in with it. */
import { useState } from 'react'
import { knowsPasskeys, signInWithPasskey } from '../api/passkeys.ts'
import type { Session } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Refusal } from '../design/layout.tsx'

interface PasskeyButtonProps {
  onSignedIn: (session: Session) => Promise<void>
  /** There is no other way. */
  isFirst?: boolean
  /** What signs in with it; by default it does alone. */
  signInBy?: (() => Promise<Session>) | undefined
}

export const PasskeyButton = (props: PasskeyButtonProps) => {
  const { onSignedIn, isFirst = false, signInBy = signInWithPasskey } = props
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  if (!knowsPasskeys())
    return isFirst ? <p>This browser knows no passkeys here. Take another one.</p> : null
  const signIn = async () => {
    setIsBusy(true)
    try {
      await onSignedIn(await signInBy())
    } catch (refusal) {
      setError(refusal as Error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <div className="grid gap-4">
      {error && <Refusal error={error} />}
      <Button
        icon="keys"
        kind={isFirst ? 'primary' : 'plain'}
        disabledReason={isBusy ? 'Waiting for your passkey' : undefined}
        onClick={() => void signIn()}
      >
        {isBusy ? 'Waiting for your passkey…' : 'Use a passkey'}
      </Button>
    </div>
  )
}
