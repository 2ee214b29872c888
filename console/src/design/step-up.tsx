/**
 * Live money and keys need a recent sign-in, and money a second factor: shows what is missing. It
 * stands inside of the form that was refused, so it is no form itself.
 */
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { useRead } from '../api/reads.ts'
import { type FactorState, stepUp } from '../api/second-factor.ts'
import { useSession } from '../api/session.ts'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'
import { Region } from './layout.tsx'
import { Status } from './status.tsx'

const StepUp = ({ reason }: { reason: string }) => (
  <div role="status" className="rounded-md border border-amber-edge bg-amber-tint p-4">
    {reason === 'second_factor_required' ? <NeedsFactor /> : <NeedsProof />}
  </div>
)

export default StepUp

const NeedsFactor = () => {
  const { organization } = useSession()
  return (
    <>
      <Status tone="waiting">Live money needs a second factor</Status>
      <p className="mt-1">
        Turn one on in the{' '}
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

const NeedsProof = () => {
  const read = useRead<FactorState>('/auth/recovery-codes')
  return (
    <Region read={read} skeleton="h-24">
      {({ enabled_at }) => <Proof by={enabled_at === null ? 'password' : 'totp'} />}
    </Region>
  )
}

const Proof = ({ by }: { by: 'password' | 'totp' }) => {
  const [text, setText] = useState('')
  const write = useMutation<unknown, ApiError>({
    mutationFn: () => stepUp(by === 'totp' ? { totp: text } : { password: text }),
  })
  if (write.isSuccess) return <Status tone="good">Thank you. Send it again now.</Status>
  const isCode = by === 'totp'
  const submit = () => {
    if (text !== '' && !write.isPending) write.mutate()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    submit()
  }
  return (
    <>
      <Status tone="waiting">Show that it is you</Status>
      <TextField
        label={isCode ? 'Code of the app, or a recovery code' : 'Your password'}
        type={isCode ? 'text' : 'password'}
        autoComplete={isCode ? 'one-time-code' : 'current-password'}
        problem={write.error?.explanation}
        className="mt-2"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <Button
        className="mt-3"
        disabledReason={write.isPending ? 'Sending' : undefined}
        onClick={submit}
      >
        It is me
      </Button>
    </>
  )
}
