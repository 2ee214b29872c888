/**
 * Signing in by the link in an e-mail. Only the button uses it up: programs that look at links
 * before people do press none.
 */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Session } from '../api/session.ts'
import { type AskedFactor, signInByLink, signInWithCode } from '../api/sign-in.ts'
import { CodeForm } from './code-form.tsx'
import { EntryForm } from './entry-form.tsx'
import { tokenOf } from './link-token.ts'

const LinkPage = () => {
  const navigate = useNavigate()
  const [link] = useState(() => tokenOf(location.hash))
  const [asked, setAsked] = useState<AskedFactor | null>(null)
  const enter = ({ organization }: Session) =>
    navigate({ to: '/o/$org', params: { org: organization.id }, replace: true })
  const submit = async () => {
    const outcome = await signInByLink(link)
    if ('mfa_token' in outcome) setAsked(outcome)
    else await enter(outcome)
  }
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-[25rem] content-center px-6 py-12">
      {asked === null ? (
        <EntryForm
          key="link"
          name="Sign in"
          title="Sign in by your link"
          lead="The link works once, in the browser that asked for it."
          verb="Sign in"
          busyVerb="Signing in"
          onSubmit={submit}
        >
          {null}
        </EntryForm>
      ) : (
        <CodeForm
          lead="The link was right."
          methods={asked.methods}
          byCode={(code) => signInWithCode(asked, code)}
          onSignedIn={enter}
        />
      )}
    </main>
  )
}

export default LinkPage
