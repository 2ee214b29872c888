/** Asks for the second factor: the code of an app, or a passkey. */
import type { Session } from '../api/session.ts'
import { type AskedFactor, signInWithCode } from '../api/sign-in.ts'
import { TextField } from '../design/field.tsx'
import { EntryForm } from './entry-form.tsx'
import { PasskeyButton } from './passkey-button.tsx'

interface CodeFormProps {
  /** What the person has shown before. */
  lead: string
  asked: AskedFactor
  onSignedIn: (session: Session) => Promise<void>
}

export const CodeForm = ({ lead, asked, onSignedIn }: CodeFormProps) => {
  const [hasCodes, hasPasskey] = [asked.methods.includes('totp'), asked.methods.includes('passkey')]
  const passkey = <PasskeyButton onSignedIn={onSignedIn} isFirst={!hasCodes} />
  if (!hasCodes) {
    return (
      <>
        <h1 className="text-2xl font-semibold tracking-tight">Use your passkey</h1>
        <p className="mt-1 mb-6 text-muted">{lead} You have a passkey as second factor.</p>
        {passkey}
      </>
    )
  }
  return (
    <>
      <EntryForm
        key="code"
        name="Second factor"
        title="Enter the code"
        lead={`${lead} Your app shows the code for the Document Exchange.`}
        verb="Sign in"
        busyVerb="Signing in"
        onSubmit={async (textOf) => onSignedIn(await signInWithCode(asked, textOf('code')))}
      >
        <TextField
          label="Code"
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          hint="Six digits, or one of your recovery codes."
          required
          autoFocus
        />
      </EntryForm>
      {hasPasskey && <div className="mt-4">{passkey}</div>}
    </>
  )
}
