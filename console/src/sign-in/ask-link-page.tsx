/** Asks for a link to sign in, and says where it goes. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type RequestedLink, askForLink } from '../api/sign-in-methods.ts'
import { buttonClass } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { EntryForm } from './entry-form.tsx'

interface Sent extends RequestedLink {
  email: string
}

const AskLinkPage = () => {
  const [sent, setSent] = useState<Sent | null>(null)
  const submit = async (textOf: (field: string) => string) => {
    const email = textOf('email')
    setSent({ ...(await askForLink(email)), email })
  }
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-[25rem] content-center px-6 py-12">
      {sent === null ? (
        <EntryForm
          name="Sign in"
          title="Sign in by a link"
          lead="It comes by e-mail, and works once, in this browser."
          verb="Send me a link"
          busyVerb="Asking"
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
        </EntryForm>
      ) : (
        <SentLink {...sent} />
      )}
      <div className="mt-4 grid">
        <Link to="/sign-in" search={{}} className={buttonClass()}>
          {sent === null ? 'Use the password' : 'Back to the sign-in'}
        </Link>
      </div>
    </main>
  )
}

export default AskLinkPage

const SentLink = ({ email, delivery, expires_in }: Sent) => (
  <div role="status">
    <img src="/app/icon.svg" alt="" width="36" height="36" />
    <h1 className="mt-5 text-2xl font-semibold tracking-tight">
      {delivery === 'smtp' ? 'Look into your mail' : 'Look at the output of the service'}
    </h1>
    <p className="mt-1 text-muted">
      If <strong className="text-ink">{email}</strong> is a user here, a link{' '}
      {delivery === 'smtp' ? 'is on its way there' : 'is printed there'}. Open it in this browser
      within {expires_in / 60} minutes.
    </p>
  </div>
)
