/** The form of an endpoint: its address, what it is for, and its choice of events. */
import { useState } from 'react'
import type { WebhookCreate } from '../api/types.ts'
import type { Write } from '../api/writes.ts'
import { eventTypes } from '../developers/event-types.ts'
import { FormDialog } from '../design/dialog.tsx'
import { CheckField, FieldGroup, TextField } from '../design/field.tsx'

interface FormProps {
  title: string
  lead: string
  verb: string
  initial: WebhookCreate
  write: { error: Error | null; isPending: boolean }
  onSend: (body: Write['body']) => void
  onClose: () => void
}

/** The field begins with one, and what is pasted behind it has another. */
const doubleScheme = /^https:\/\/(?=https?:\/\/)/

export const EndpointForm = ({ initial, onSend, ...dialog }: FormProps) => {
  const [url, setUrl] = useState(initial.url)
  const [description, setDescription] = useState(initial.description ?? '')
  const [events, setEvents] = useState<readonly string[]>(initial.events ?? [])
  return (
    <FormDialog
      {...dialog}
      size="large"
      onSubmit={() =>
        onSend({ url, events, description: description.trim() === '' ? null : description })
      }
    >
      <TextField
        label="Address"
        param="/url"
        type="url"
        value={url}
        onChange={({ target }) => setUrl(target.value.replace(doubleScheme, ''))}
      />
      <TextField
        label="Description"
        param="/description"
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <FieldGroup
        legend="Events"
        hint="Choose none to receive all of them, including types added later."
        param="/events"
      >
        <div className="grid gap-x-4 sm:grid-cols-2">
          {eventTypes.map((type) => (
            <CheckField
              key={type}
              label={type}
              checked={events.includes(type)}
              onChange={({ target }) =>
                setEvents(
                  target.checked ? [...events, type] : events.filter((other) => other !== type),
                )
              }
            />
          ))}
        </div>
      </FieldGroup>
    </FormDialog>
  )
}
