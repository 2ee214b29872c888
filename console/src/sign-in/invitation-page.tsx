/**
 * How an invited person becomes a member, by the link in the e-mail. Who is a user already and has
 * a second factor is asked for it in a second step: a code, or a passkey.
 */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { askPasskey } from '../api/passkeys.ts'
import type { Session } from '../api/session.ts'
import {
  type Acceptance,
  type AskedFactor,
  acceptInvitation,
  sessionOrFactor,
} from '../api/sign-in.ts'
import { TextField } from '../design/field.tsx'
import { CodeForm } from './code-form.tsx'
import { EntryForm } from './entry-form.tsx'
import { tokenOf } from './link-token.ts'

interface Asked {
  methods: AskedFactor['methods']
  acceptance: Acceptance
}

const InvitationPage = () => {
  const navigate = useNavigate()
  const [token] = useState(() => tokenOf(location.hash))
  const [asked, setAsked] = useState<Asked | null>(null)
  const enter = ({ organization }: Session) =>
    navigate({ to: '/o/$org', params: { org: organization.id }, replace: true })
  const submit = async (textOf: (field: string) => string) => {
    const name = textOf('name').trim()
    const acceptance = { token, password: textOf('password'), ...(name === '' ? {} : { name }) }
    const outcome = await sessionOrFactor(() => acceptInvitation(acceptance))
    if ('methods' in outcome) setAsked({ methods: outcome.methods, acceptance })
    else await enter(outcome)
  }
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-[25rem] content-center px-6 py-12">
      {asked === null ? (
        <EntryForm
          key="password"
          name="Invitation"
          title="Accept the invitation"
          lead="You then act for the organization that has invited you."
          verb="Accept"
          busyVerb="Accepting"
          onSubmit={submit}
        >
          <TextField
            label="Your name"
            name="name"
            autoComplete="name"
            hint="Only if you are new here."
          />
          <TextField
            label="Password"
            name="password"
            type="password"
            hint="The one you have here, or a new one of at least 12 characters."
            required
          />
        </EntryForm>
      ) : (
        <CodeForm
          lead="Your password was right."
          methods={asked.methods}
          verb="Accept"
          byCode={(totp) => acceptInvitation({ ...asked.acceptance, totp })}
          byPasskey={async () =>
            acceptInvitation({ ...asked.acceptance, passkey: await askPasskey() })
          }
          onSignedIn={enter}
        />
      )}
    </main>
  )
}

export default InvitationPage
