/** Asks for the code of the second factor. */
import { TextField } from '../design/field.tsx'
import { EntryForm } from './entry-form.tsx'

interface CodeFormProps {
  /** What the person has shown before. */
  lead: string
  onCode: (code: string) => Promise<void>
}

export const CodeForm = ({ lead, onCode }: CodeFormProps) => (
  <EntryForm
    key="code"
    name="Second factor"
    title="Enter the code"
    lead={`${lead} Your app shows the code for the Document Exchange.`}
    verb="Sign in"
    busyVerb="Signing in"
    onSubmit={(textOf) => onCode(textOf('code'))}
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
)
