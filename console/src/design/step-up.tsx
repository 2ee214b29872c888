/**
 * Live money, keys, members and the profile need a recent sign-in, and money a second factor: shows
 * what is missing. It stands inside of the form that was refused, so it is no form itself.
 */
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { ApiError } from '../api/call.ts'
import { type Passkey, askPasskey, knowsPasskeys } from '../api/passkeys.ts'
import { useRead } from '../api/reads.ts'
import { type FactorState, stepUp } from '../api/second-factor.ts'
import { useSession } from '../api/session.ts'
import type { Page } from '../api/types.ts'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'
import { Region } from './layout.tsx'
import { Status } from './status.tsx'

interface StepUpProps {
  reason: string
  /** Goes on by itself then; else the person sends it again. */
  onProven?: (() => void) | undefined
}

const StepUp = ({ reason, onProven }: StepUpProps) => (
  <div role="status" className="rounded-md border border-amber-edge bg-amber-tint p-4">
    {reason === 'second_factor_required' ? <NeedsFactor /> : <NeedsProof onProven={onProven} />}
  </div>
)

export default StepUp

const NeedsFactor = () => {
  const { organization } = useSession()
  return (
    <>
      <Status tone="waiting">Live money needs a second factor</Status>
      <p className="mt-1">
        Turn one on, or add a passkey, in the{' '}
        <Link
          to="/o/$org/settings"
          params={{ org: organization.id }}
          className="font-medium text-accent underline"
        >
          settings
        </Link>
        , then send this again.
      </p>
    </>
  )
}

const NeedsProof = ({ onProven }: Pick<StepUpProps, 'onProven'>) => {
  const codes = useRead<FactorState>('/auth/recovery-codes')
  const passkeys = useRead<Page<Passkey>>('/auth/passkeys')
  return (
    <Region read={codes} skeleton="h-24">
      {({ enabled_at }) => (
        <Region read={passkeys} skeleton="h-24">
          {({ data }) => (
            <Proof
              by={enabled_at !== null ? 'totp' : data.length > 0 ? undefined : 'password'}
              hasPasskey={data.length > 0 && knowsPasskeys()}
              onProven={onProven}
            />
          )}
        </Region>
      )}
    </Region>
  )
}

interface ProofProps extends Pick<StepUpProps, 'onProven'> {
  /** What is typed; undefined for somebody who only has passkeys. */
  by: 'password' | 'totp' | undefined
  hasPasskey: boolean
}

const Proof = ({ by, hasPasskey, onProven }: ProofProps) => {
  const [text, setText] = useState('')
  const write = useMutation<unknown, Error, 'passkey' | 'typed'>({
    mutationFn: async (way) => {
      if (way === 'passkey') return stepUp({ passkey: await askPasskey() })
      return stepUp(by === 'totp' ? { totp: text } : { password: text })
    },
    onSuccess: () => onProven?.(),
  })
  if (write.isSuccess)
    return <Status tone="good">{onProven ? 'Thank you.' : 'Thank you. Send it again now.'}</Status>
  const isCode = by === 'totp'
  const busy = write.isPending ? 'Sending' : undefined
  const { error } = write
  const problem = error instanceof ApiError ? error.explanation : error?.message
  const submit = () => {
    if (text !== '' && !write.isPending) write.mutate('typed')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    submit()
  }
  return (
    <>
      <Status tone="waiting">Confirm that it is you</Status>
      {by !== undefined && (
        <TextField
          label={isCode ? 'Code from the app, or a recovery code' : 'Your password'}
          type={isCode ? 'text' : 'password'}
          autoComplete={isCode ? 'one-time-code' : 'current-password'}
          problem={problem}
          className="mt-2"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
        />
      )}
      {by === undefined && problem !== undefined && <p className="mt-2 text-red">{problem}</p>}
      <div className="mt-3 flex flex-wrap gap-2">
        {by !== undefined && (
          <Button disabledReason={busy} onClick={submit}>
            Confirm
          </Button>
        )}
        {hasPasskey && (
          <Button isWrite icon="keys" disabledReason={busy} onClick={() => write.mutate('passkey')}>
            Use a passkey
          </Button>
        )}
      </div>
    </>
  )
}
