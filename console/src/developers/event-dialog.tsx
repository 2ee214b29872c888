/** An event as the API answers it, and how it has reached each endpoint. */
import { useRead } from '../api/reads.ts'
import { isAdmin } from '../api/permissions.ts'
import { useSession } from '../api/session.ts'
import type { Event } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import Dialog from '../design/dialog.tsx'
import { Region } from '../design/layout.tsx'
import { copyText } from '../design/copy-text.ts'
import { EventDeliveries } from './event-deliveries.tsx'

const EventDialog = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const read = useRead<Event>(`/v1/events/${id}`, {}, { refetchEveryMs: false })
  const session = useSession()
  const areDeliveriesReadable = isAdmin(session) || session.scopes.includes('webhooks:manage')
  return (
    <Dialog title={read.data?.type ?? 'Event'} onClose={onClose} size="large">
      <Region read={read}>
        {(event) => (
          <>
            {areDeliveriesReadable && <EventDeliveries event={event} />}
            <Payload event={event} />
          </>
        )}
      </Region>
    </Dialog>
  )
}

export default EventDialog

const Payload = ({ event }: { event: Event }) => {
  const text = JSON.stringify(event, null, 2)
  return (
    <section aria-label="Payload">
      <header className="mb-2 flex items-center justify-between">
        <h3 className="font-semibold">Payload</h3>
        <Button icon="copy" data-first onClick={() => void copyText(text)}>
          Copy
        </Button>
      </header>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls
        tabIndex={0}
        className="max-h-[48dvh] overflow-auto rounded-md border border-line bg-canvas p-3 font-mono text-xs"
      >
        {text}
      </pre>
    </section>
  )
}
