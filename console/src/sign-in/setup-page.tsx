/** The first owner of a live organization, by the link that the first start has printed. */
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { setUp } from '../api/sign-in.ts'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { Refusal } from '../design/layout.tsx'

/** The token stands behind the `#`, so no log has it. */
const tokenOf = (fragment: string): string => new URLSearchParams(fragment.slice(1)).get('t') ?? ''

const SetupPage = () => {
  const navigate = useNavigate()
  const [token] = useState(() => tokenOf(location.hash))
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    document.title = 'Set up · Document Exchange'
  }, [])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name))
    setIsBusy(true)
    try {
      const { organization } = await setUp({
        setup_token: token,
        email: text('email'),
        name: text('name'),
        password: text('password'),
        organization_name: text('organization_name'),
      })
      await navigate({ to: '/o/$org', params: { org: organization.id }, replace: true })
    } catch (refusal) {
      setError(refusal as ApiError)
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <main className="mx-auto w-full max-w-[400px] px-6 py-16">
      <img src="/app/icon.svg" alt="" width="36" height="36" />
      <h1 className="mt-5 text-2xl font-semibold tracking-tight">Set up your organization</h1>
      <p className="mt-1 text-muted">
        You become its owner. A sandbox with a demo counterparty comes with it.
      </p>
      <form className="mt-6 grid gap-4" onSubmit={(event) => void submit(event)}>
        {error && <Refusal error={error} />}
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
          hint="At least 12 characters."
          required
        />
        <Button kind="primary" type="submit" disabledReason={isBusy ? 'Setting up' : undefined}>
          {isBusy ? 'Setting up…' : 'Create'}
        </Button>
      </form>
    </main>
  )
}

export default SetupPage
