/** The form by which a person comes in: its title, its fields, one button, and what was refused. */
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { Button } from '../design/button.tsx'
import { Form } from '../design/form.tsx'
import { Refusal } from '../design/layout.tsx'

interface EntryFormProps {
  /** Of the window. */
  name: string
  title: string
  lead: ReactNode
  verb: string
  busyVerb: string
  /** Gets the text of a field by its name. */
  onSubmit: (textOf: (field: string) => string) => Promise<void>
  children: ReactNode
}

export const EntryForm = ({ name, title, lead, verb, busyVerb, ...form }: EntryFormProps) => {
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    document.title = `${name} · Document Exchange`
  }, [name])
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setIsBusy(true)
    try {
      await form.onSubmit((field) => String(fields.get(field)))
    } catch (refusal) {
      setError(refusal as Error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <>
      <img src="/app/icon.svg" alt="" width="36" height="36" />
      <h1 className="mt-5 text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 text-muted">{lead}</p>
      <Form
        error={error}
        // What is empty or no e-mail address, the browser says at the field before it is sent.
        noValidate={false}
        className="mt-6 grid gap-4"
        onSubmit={(event) => void submit(event)}
      >
        {error && <Refusal error={error} />}
        {form.children}
        <Button kind="primary" type="submit" disabledReason={isBusy ? busyVerb : undefined}>
          {isBusy ? `${busyVerb}…` : verb}
        </Button>
      </Form>
    </>
  )
}
