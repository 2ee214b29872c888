/**
 * Sends an event of a chosen type to the endpoint. It is a real one, with its own bytes and id: a
 * made-up one, signed, would tell a receiver of a payment that was never made.
 */
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import type { Delivery, Event, Page, Webhook } from '../api/types.ts'
import { type Write, useWrite } from '../api/writes.ts'
import { eventTypes } from '../developers/event-types.ts'
import { Announced } from '../design/announcements.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { Time } from '../design/format.tsx'
import { notify } from '../design/notices.tsx'
import { SelectField } from '../design/select-field.tsx'

interface SampleDialogProps {
  webhook: Webhook
  path: string
  onClose: () => void
}

export const SampleDialog = ({ webhook, path, onClose }: SampleDialogProps) => {
  const [type, setType] = useState<string>(webhook.events[0] ?? 'document.status_changed')
  const newest = { type, limit: 1 }
  const deliveries = useRead<Page<Delivery>>(`${path}/deliveries`, newest)
  const events = useRead<Page<Event>>('/v1/events', newest)
  const delivered = deliveries.data?.data[0]
  const event = events.data?.data[0]
  const isKnown = deliveries.data !== undefined && events.data !== undefined
  const sample = isKnown ? (delivered ?? event) : undefined
  const write = useWrite<unknown>(() => {
    notify('The sample is on its way')
    onClose()
  })
  return (
    <FormDialog
      title="Send a sample"
      lead="The newest event of the type, with the bytes and the id that it has for every receiver. A receiver that discards repeats answers it without acting on it."
      write={{ error: write.error ?? deliveries.error ?? events.error, isPending: write.isPending }}
      verb="Send the sample"
      obstacle={obstacleOf(isKnown, sample)}
      onSubmit={() => write.mutate(writeOf(path, delivered, event!))}
      onClose={onClose}
    >
      <SelectField
        label="Type of event"
        options={eventTypes.map((name) => [name, name] as const)}
        value={type}
        onChange={({ target }) => setType(target.value)}
      />
      {sample && (
        <Announced>
          <code className="font-mono text-xs">{delivered?.event_id ?? sample.id}</code>,{' '}
          <Time at={sample.created_at} isExact />
        </Announced>
      )}
    </FormDialog>
  )
}

const obstacleOf = (isKnown: boolean, sample: object | undefined): string | undefined => {
  if (!isKnown) return 'The newest one is being looked up.'
  return sample === undefined ? 'None has happened in the last 30 days.' : undefined
}

/** An event that never had a delivery here gets one, alone in its moment. */
const writeOf = (path: string, delivered: Delivery | undefined, event: Event): Write => {
  if (delivered !== undefined) return { path: `${path}/deliveries/${delivered.id}/redeliver` }
  const { created_at: since, type } = event
  return { path: `${path}/redeliver`, body: { since, until: since, types: [type] } }
}
