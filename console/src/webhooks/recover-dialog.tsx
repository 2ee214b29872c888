/** Sends every event again that has not arrived since a time: first how many that are. */
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import { useDryRun } from '../api/dry-run.ts'
import type { Delivery, Page, Recovered, Webhook } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Announced } from '../design/announcements.tsx'
import { chosenZone } from '../design/dates.ts'
import { FormDialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { Time } from '../design/format.tsx'
import { notify } from '../design/notices.tsx'
import { amountText, eventsText } from './recovered-text.ts'
import { momentOf, wallTimeOf } from './wall-time.ts'

interface RecoverDialogProps {
  webhook: Webhook
  path: string
  onClose: () => void
}

export const RecoverDialog = ({ webhook, path, onClose }: RecoverDialogProps) => {
  // As it is typed, since a year that is half written is a year as well.
  const [typed, setTyped] = useState<string>()
  const [next, setNext] = useState<string>()
  const preset = usePreset(webhook, path)
  const zone = chosenZone()
  const since = typed === undefined ? (next ?? preset ?? '') : typed && momentOf(typed, zone)
  const request = { path: `${path}/redeliver`, body: { since } }
  const dryRun = useDryRun<Recovered>(request, since !== '')
  const write = useWrite<Recovered>(({ body: { scheduled, next_since } }) => {
    notify(`${eventsText(scheduled)} ${scheduled === 1 ? 'is on its' : 'are on their'} way`)
    if (next_since === null) return onClose()
    setTyped(undefined)
    setNext(next_since)
  })
  const counted = dryRun.data?.body
  return (
    <FormDialog
      title="Recover events"
      lead="Every event that did not arrive: failed, skipped, not subscribed to, or older than the endpoint."
      write={{ error: write.error ?? dryRun.error, isPending: write.isPending }}
      verb={counted === undefined ? 'Recover' : `Send ${amountText(counted)}`}
      obstacle={obstacleTo(since, counted)}
      onSubmit={() => write.mutate(request)}
      onClose={onClose}
    >
      <TextField
        label="Since"
        param="/since"
        type="datetime-local"
        step={1}
        hint={
          <>
            {`In the time zone ${zone}. Events are kept for 30 days; the endpoint exists since `}
            <Time at={webhook.created_at} />.
          </>
        }
        value={typed ?? (since && wallTimeOf(since, zone))}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Announced>
        {counted === undefined ? 'They are being counted.' : <Count counted={counted} />}
      </Announced>
    </FormDialog>
  )
}

/**
 * A ping that succeeds, and what arrives since the receiver was mended, come after the failures: so
 * the oldest failure counts too. Undefined while it is read.
 */
const usePreset = ({ last_success_at, created_at }: Webhook, path: string): string | undefined => {
  const missed = useRead<Page<Delivery>>(
    `${path}/deliveries`,
    { status: 'failed,skipped', limit: 100 },
    { refetchEveryMs: false },
  )
  const [preset, setPreset] = useState<string>()
  // What the cache has may be older than the outage.
  if (preset === undefined && !missed.isFetching)
    setPreset(presetOf(last_success_at ?? created_at, created_at, missed.data))
  return preset
}

const presetOf = (success: string, created: string, missed?: Page<Delivery>): string => {
  if (missed?.has_more === true) return created
  const oldest = missed?.data.at(-1)?.created_at ?? success
  const [earlier] = [success, oldest].toSorted()
  return earlier! < created ? created : earlier!
}

const obstacleTo = (since: string, counted?: Recovered): string | undefined => {
  if (since === '') return 'Choose a day and a time.'
  return counted?.scheduled === 0 && counted.next_since === null
    ? 'None is missing since then.'
    : undefined
}

const Count = ({ counted: { scheduled, next_since } }: { counted: Recovered }) =>
  next_since === null ? (
    `${eventsText(scheduled)} would be sent.`
  ) : (
    <>
      {`The first ${eventsText(scheduled)} would be sent, up to `}
      <Time at={next_since} />. Later ones are offered next.
    </>
  )
