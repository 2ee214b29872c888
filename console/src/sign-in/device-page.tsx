/** Signing in a program that shows a code: the person sees who asks, and approves or denies it. */
import { QueryClientProvider, useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { createCache } from '../api/cache.ts'
import type { ApiError } from '../api/call.ts'
import { type DeviceCode, approveCode, claimCode, denyCode } from '../api/device-codes.ts'
import { useRead } from '../api/reads.ts'
import { type Organization, useSession } from '../api/session.ts'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { Ago } from '../design/format.tsx'
import { Fact, Refusal, Region } from '../design/layout.tsx'
import { SelectField } from '../design/select-field.tsx'
import { EntryForm } from './entry-form.tsx'

const route = getRouteApi('/device')

type State = DeviceCode | 'unknown' | null

const DevicePage = () => {
  const { user_code } = route.useSearch()
  const [state, setState] = useState<State>(null)
  const cache = useMemo(createCache, [])
  return (
    <QueryClientProvider client={cache}>
      <main className="mx-auto grid min-h-dvh w-full max-w-[27.5rem] content-center px-6 py-12">
        {state === null ? (
          <EnterCode prefilled={user_code ?? ''} onClaimed={setState} />
        ) : state === 'unknown' ? (
          <Outcome title="The code has expired" onAgain={() => setState(null)}>
            Start again in the program, and enter the code that it shows then.
          </Outcome>
        ) : state.status === 'claimed' ? (
          <Decide code={state} onDecided={setState} />
        ) : state.status === 'denied' ? (
          <Outcome title="Denied" onAgain={() => setState(null)}>
            The program gets no session with this code.
          </Outcome>
        ) : (
          <Outcome title="Approved" onAgain={() => setState(null)}>
            Go back to the program: it is signed in for {state.organization!.name} in a few seconds.
            You can close this page. The session is in the list of your sessions, where you can end
            it.
          </Outcome>
        )}
      </main>
    </QueryClientProvider>
  )
}

export default DevicePage

interface EnterCodeProps {
  prefilled: string
  onClaimed: (code: DeviceCode) => void
}

const EnterCode = ({ prefilled, onClaimed }: EnterCodeProps) => {
  const { user } = useSession()
  return (
    <EntryForm
      name="Sign in a program"
      title="Sign in a program"
      lead={`You are ${user.email}. Enter the code that the program shows.`}
      verb="Go on"
      busyVerb="Looking"
      onSubmit={async (textOf) => onClaimed(await claimCode(textOf('user_code')))}
    >
      <TextField
        label="Code"
        name="user_code"
        defaultValue={prefilled}
        hint="Eight letters, such as WDJB-MJHT. Compare them if they are here already."
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        required
        autoFocus
      />
    </EntryForm>
  )
}

interface DecideProps {
  code: DeviceCode
  onDecided: (state: State) => void
}

const Decide = ({ code, onDecided }: DecideProps) => {
  const { organization } = useSession()
  const [chosen, setChosen] = useState(organization.id)
  const read = useRead<{ organizations: Organization[] }>('/auth/session')
  const write = useMutation<DeviceCode, ApiError, 'approve' | 'deny'>({
    mutationFn: (decision) =>
      decision === 'approve' ? approveCode(code.user_code, chosen) : denyCode(code.user_code),
    onSuccess: onDecided,
    onError: (error) => {
      if (error.details['resource'] === 'device_code') onDecided('unknown')
    },
  })
  const busy = write.isPending ? 'Sending' : undefined
  return (
    <>
      <Heading>Is this you?</Heading>
      <p className="mt-1 text-muted">
        Approve only what you have just started yourself. Nobody from support asks you to approve a
        code.
      </p>
      <dl className="my-5 rounded-lg border border-line bg-paper px-4 py-2">
        <Fact term="Code">
          <span className="font-mono font-semibold">{code.user_code}</span>
        </Fact>
        <Fact term="Program">{code.user_agent ?? 'does not say'}</Fact>
        <Fact term="Asks from">
          <span className="font-mono">{code.address}</span>
        </Fact>
        <Fact term="Asked">
          <Ago at={code.created_at} />
        </Fact>
      </dl>
      <div className="grid gap-4">
        <Region read={read} skeleton="h-16">
          {({ organizations }) => (
            <SelectField
              label="It may act for"
              hint="With all that you may do there, for twelve hours."
              value={chosen}
              options={organizations.map(optionOf)}
              onChange={({ target }) => setChosen(target.value)}
            />
          )}
        </Region>
        {write.error && <Refusal error={write.error} />}
        <div className="flex gap-2">
          <Button
            isWrite
            kind="primary"
            disabledReason={busy}
            onClick={() => write.mutate('approve')}
          >
            Approve
          </Button>
          <Button isWrite disabledReason={busy} onClick={() => write.mutate('deny')}>
            Deny
          </Button>
        </div>
      </div>
    </>
  )
}

const optionOf = ({ id, name, mode }: Organization) =>
  [id, `${name} (${mode === 'live' ? 'live' : 'sandbox'})`] as const

interface OutcomeProps {
  title: string
  onAgain: () => void
  children: ReactNode
}

const Outcome = ({ title, onAgain, children }: OutcomeProps) => (
  <div>
    <Heading>{title}</Heading>
    <p className="mt-1 mb-5 text-muted">{children}</p>
    <Button onClick={onAgain}>Enter another code</Button>
  </div>
)

/** What has changed is announced, and the next Tab begins behind it. */
const Heading = ({ children }: { children: string }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold tracking-tight">
      {children}
    </h1>
  )
}
