/** The first owner of a live organization, by the link that the first start has printed. */
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { setUp } from '../api/sign-in.ts'
import { signInMethods } from '../api/sign-in-methods.ts'
import { buttonClass } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { EntryForm } from './entry-form.tsx'
import { tokenOf } from './link-token.ts'
import { identityLimits } from '../../../src/contract/identity-limits.ts'

const minLength = identityLimits.passwordMinLength

const SetupPage = () => {
  const navigate = useNavigate()
  const [token] = useState(() => tokenOf(location.hash))
  const [isOpen, setIsOpen] = useState<boolean | null>(null)
  useEffect(() => {
    // Without an answer, the setup itself says whether it is open.
    signInMethods().then(
      (methods) => setIsOpen(methods.setup_required),
      () => setIsOpen(true),
    )
  }, [])
  const submit = async (textOf: (field: string) => string) => {
    const { organization } = await setUp({
      setup_token: token,
      email: textOf('email'),
      name: textOf('name'),
      password: textOf('password'),
      organization_name: textOf('organization_name'),
    })
    await navigate({ to: '/o/$org', params: { org: organization.id }, replace: true })
  }
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-[25rem] content-center px-6 py-12">
      {isOpen === false && (
        <NoSetup title="This service is set up already">
          The link made its first owner, and works once. If that was you, sign in. Others are
          invited by a member of their organization.
        </NoSetup>
      )}
      {isOpen === true && token === '' && (
        <NoSetup title="Open the setup link">
          The service prints it when it starts, as Setup, and a new one with every start. It ends
          after an hour.
        </NoSetup>
      )}
      {isOpen === true && token !== '' && (
        <EntryForm
          name="Set up"
          title="Set up your organization"
          lead="You become its owner. A sandbox with a demo counterparty comes with it."
          verb="Create organization"
          busyVerb="Setting up"
          onSubmit={submit}
        >
          <TextField
            label="Organization"
            name="organization_name"
            autoComplete="organization"
            required
          />
          <TextField label="Your name" name="name" autoComplete="name" required />
          <TextField label="E-mail" name="email" type="email" autoComplete="username" required />
          <TextField
            label="Password"
            name="password"
            type="password"
            autoComplete="new-password"
            hint={`At least ${minLength} characters.`}
            minLength={minLength}
            required
          />
        </EntryForm>
      )}
    </main>
  )
}

export default SetupPage

const NoSetup = ({ title, children }: { title: string; children: ReactNode }) => {
  useEffect(() => {
    document.title = 'Set up · Document Exchange'
  }, [])
  return (
    <div>
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 mb-5 text-muted">{children}</p>
      <Link to="/sign-in" className={buttonClass('primary')}>
        Sign in
      </Link>
    </div>
  )
}
