/** How an invited person becomes a member, by the link in the e-mail. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { acceptInvitation } from '../api/sign-in.ts'
import { TextField } from '../design/field.tsx'
import { EntryForm } from './entry-form.tsx'
import { tokenOf } from './link-token.ts'

const InvitationPage = () => {
  const navigate = useNavigate()
  const [token] = useState(() => tokenOf(location.hash))
  const submit = async (textOf: (field: string) => string) => {
    const [name, totp] = [textOf('name').trim(), textOf('totp').trim()]
    const { organization } = await acceptInvitation({
      token,
      password: textOf('password'),
      ...(name === '' ? {} : { name }),
      ...(totp === '' ? {} : { totp }),
    })
    await navigate({ to: '/o/$org', params: { org: organization.id }, replace: true })
  }
  return (
    <main className="mx-auto w-full max-w-[400px] px-6 py-16">
      <EntryForm
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
        <TextField
          label="Code"
          name="totp"
          autoComplete="one-time-code"
          hint="Only if you are here already, with a second factor."
        />
      </EntryForm>
    </main>
  )
}

export default InvitationPage
