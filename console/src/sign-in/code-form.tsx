/** Asks for the second factor: the code of an app, or a passkey. */
import type { Session } from '../api/session.ts'
import type { AskedFactor } from '../api/sign-in.ts'
import { TextField } from '../design/field.tsx'
import { EntryForm } from './entry-form.tsx'
import { PasskeyButton } from './passkey-button.tsx'

interface CodeFormProps {
  /** What the person has shown before. */
  lead: string
  methods: AskedFactor['methods']
  verb?: string
  byCode: (code: string) => Promise<Session>
  byPasskey?: () => Promise<Session>
  onSignedIn: (session: Session) => Promise<void>
}

export const CodeForm = (props: CodeFormProps) => {
  const { lead, methods, verb = 'Sign in', byCode, byPasskey, onSignedIn } = props
  const [hasCodes, hasPasskey] = [methods.includes('totp'), methods.includes('passkey')]
  const passkey = <PasskeyButton onSignedIn={onSignedIn} isFirst={!hasCodes} signInBy={byPasskey} />
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
        verb={verb}
        busyVerb="Sending"
        onSubmit={async (textOf) => onSignedIn(await byCode(textOf('code')))}
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
