/** Signing in. Whether one works in a sandbox or live is chosen afterwards. */
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Session } from '../api/session.ts'
import { type AskedFactor, signIn, signInWithCode } from '../api/sign-in.ts'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { CodeForm } from './code-form.tsx'
import { EntryForm } from './entry-form.tsx'
import { OtherWays } from './other-ways.tsx'
import { PasskeyButton } from './passkey-button.tsx'

const route = getRouteApi('/sign-in')

const SignInPage = () => {
  const { to } = route.useSearch()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<AskedFactor | null>(null)
  const submit = async (textOf: (field: string) => string) => {
    const credentials = { email: textOf('email'), password: textOf('password') }
    const outcome = await signIn(credentials)
    if ('mfa_token' in outcome) setAsked(outcome)
    else await enter(outcome)
  }
  const enter = async ({ organization }: Session) => {
    const path = to?.replace(/^\/app/, '')
    if (path !== undefined && /^\/(o\/|device\b)/.test(path))
      await navigate({ href: path, replace: true })
    else await navigate({ to: '/o/$org', params: { org: organization.id }, replace: true })
  }
  return (
    <main className="grid min-h-dvh lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="flex flex-col justify-center px-6 py-12">
        <div className="mx-auto w-full max-w-[22.5rem]">
          {asked === null ? (
            <>
              <EntryForm
                key="password"
                name="Sign in"
                title="Sign in"
                lead={`${to === undefined ? 'To' : 'You go on where you were, in'} the Document Exchange at ${location.host}.`}
                verb="Sign in"
                busyVerb="Signing in"
                onSubmit={submit}
              >
                <TextField
                  label="E-mail"
                  name="email"
                  type="email"
                  autoComplete="username"
                  required
                  autoFocus
                />
                <TextField
                  label="Password"
                  name="password"
                  type="password"
                  autoComplete="current-password"
                  required
                />
              </EntryForm>
              <div className="mt-4">
                <PasskeyButton onSignedIn={enter} />
              </div>
            </>
          ) : (
            <>
              <CodeForm
                lead="Your password was right."
                methods={asked.methods}
                byCode={(code) => signInWithCode(asked, code)}
                onSignedIn={enter}
              />
              <div className="mt-4">
                <Button className="w-full" onClick={() => setAsked(null)}>
                  Use another account
                </Button>
              </div>
            </>
          )}
          {asked === null && <OtherWays to={to} />}
          {isThisMachine() && (
            <p className="mt-6 border-t border-line pt-4 text-sm text-muted">
              First start on this machine? The practice organization’s e-mail and password are in
              the file <code className="font-mono text-xs">sandbox.json</code> of its data folder:{' '}
              <code className="font-mono text-xs">.data</code>, unless{' '}
              <code className="font-mono text-xs">DATA_DIR</code> names another.
            </p>
          )}
        </div>
      </div>
      <Illustration />
    </main>
  )
}

export default SignInPage

/** Whoever signs in elsewhere has no folder of the service. */
const isThisMachine = (): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)

/** One record, as each of its two parties reads it. */
const Illustration = () => (
  <div
    aria-hidden="true"
    className="relative hidden items-center justify-center overflow-hidden border-l border-line bg-paper lg:flex"
  >
    <div className="grid w-[27.5rem] gap-3">
      <Side
        label="Invoice"
        number="INV-000042"
        party="to Bright Timber"
        status="Approved by them"
      />
      <div className="mx-auto h-9 w-px bg-accent" />
      <p className="rounded-md border border-line bg-canvas px-4 py-2 text-center font-mono text-xs text-muted">
        one shared record · revision 4 · sha256 a87233…dfa5
      </p>
      <div className="mx-auto h-9 w-px bg-accent" />
      <Side label="Bill" number="BILL-000017" party="from Harbour Steel" status="Approved by you" />
    </div>
  </div>
)

const Side = (props: { label: string; number: string; party: string; status: string }) => (
  <div className="rounded-lg border border-line bg-raised p-4 raised-shadow">
    <div className="flex justify-between">
      <span className="font-semibold">
        {props.label} <span className="font-normal text-muted">{props.number}</span>
      </span>
      <span className="tabular font-semibold">$12,500.00</span>
    </div>
    <div className="mt-1 flex justify-between text-sm text-muted">
      <span>{props.party}</span>
      <span className="text-green">{props.status}</span>
    </div>
  </div>
)
