/** Signs in with a passkey, in place of a password and a code. */
import { useState } from 'react'
import { knowsPasskeys, signInWithPasskey } from '../api/passkeys.ts'
import type { Session } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { Refusal } from '../design/layout.tsx'

interface PasskeyButtonProps {
  onSignedIn: (session: Session) => Promise<void>
  /** There is no other way. */
  isFirst?: boolean
}

export const PasskeyButton = ({ onSignedIn, isFirst = false }: PasskeyButtonProps) => {
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  if (!knowsPasskeys())
    return isFirst ? <p>This browser knows no passkeys here. Take another one.</p> : null
  const signIn = async () => {
    setIsBusy(true)
    try {
      await onSignedIn(await signInWithPasskey())
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
