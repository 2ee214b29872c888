/** Sends every event again that has not arrived since a day: first how many that are. */
import { useState } from 'react'
import { useRehearsal } from '../api/rehearsal.ts'
import type { Recovered, Webhook } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Announced } from '../design/announcements.tsx'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { notify } from '../design/notices.tsx'

interface RecoverDialogProps {
  webhook: Webhook
  path: string
  onClose: () => void
}

const RecoverDialog = ({ webhook, path, onClose }: RecoverDialogProps) => {
  // What came after the last success may be missing.
  const [since, setSince] = useState(() =>
    (webhook.last_success_at ?? new Date().toISOString()).slice(0, 10),
  )
  const request = { path: `${path}/redeliver`, body: { since } }
  const rehearsal = useRehearsal<Recovered>(request, since !== '')
  const write = useWrite<Recovered>(({ body }) => {
    notify(`${body.scheduled} events are on their way`)
    onClose()
  })
  const count = rehearsal.data?.body.scheduled
  return (
    <FormDialog
      title="Recover events"
      lead="Every event that did not arrive: failed, skipped, not subscribed to, or older than the endpoint."
      write={{ error: write.error ?? rehearsal.error, isPending: write.isPending }}
      verb={count === undefined ? 'Recover' : `Send ${count} events`}
      obstacle={count === 0 ? 'None is missing since then.' : undefined}
      onSubmit={() => write.mutate(request)}
      onClose={onClose}
    >
      <TextField
        label="Since"
        param="/since"
        type="date"
        hint="Events are kept for 30 days."
        value={since}
        onChange={({ target }) => setSince(target.value)}
      />
      <Announced>
        {count === undefined ? 'They are being counted.' : `${count} events would be sent.`}
      </Announced>
    </FormDialog>
  )
}

export default RecoverDialog
