/** A new endpoint, or another address, purpose and choice of events for one. */
import { useState } from 'react'
import type { Webhook, WebhookCreate, WebhookWithSecret } from '../api/types.ts'
import { type Write, useWrite } from '../api/writes.ts'
import { eventTypes } from '../developers/event-types.ts'
import { FormDialog } from '../design/dialog.tsx'
import { CheckField, FieldGroup, TextField } from '../design/field.tsx'
import { notify } from '../design/notices.tsx'

interface NewEndpointProps {
  onCreated: (secret: string | null) => void
  onClose: () => void
}

const unnamed: WebhookCreate = { url: 'https://', events: [], description: null }

export const NewEndpointDialog = ({ onCreated, onClose }: NewEndpointProps) => {
  const write = useWrite<WebhookWithSecret>(({ body }) => onCreated(body.secret))
  return (
    <EndpointForm
      title="New endpoint"
      lead="It receives the events that are committed from now on."
      verb="Register"
      initial={unnamed}
      write={write}
      onSend={(body) => write.mutate({ path: '/v1/webhooks', body })}
      onClose={onClose}
    />
  )
}

interface EditEndpointProps {
  webhook: Webhook
  onClose: () => void
}

export const EditEndpointDialog = ({ webhook, onClose }: EditEndpointProps) => {
  const { id, url, events, description } = webhook
  const write = useWrite<Webhook>(() => {
    notify('The endpoint is changed')
    onClose()
  })
  return (
    <EndpointForm
      title="Edit the endpoint"
      lead="Pending deliveries go to the new address, signed with the same secret."
      verb="Save"
      initial={{ url, events, description }}
      write={write}
      onSend={(body) => write.mutate({ method: 'PATCH', path: `/v1/webhooks/${id}`, body })}
      onClose={onClose}
    />
  )
}

interface FormProps {
  title: string
  lead: string
  verb: string
  initial: WebhookCreate
  write: { error: Error | null; isPending: boolean }
  onSend: (body: Write['body']) => void
  onClose: () => void
}

const EndpointForm = ({ initial, onSend, ...dialog }: FormProps) => {
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
        onChange={({ target }) => setUrl(target.value)}
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
