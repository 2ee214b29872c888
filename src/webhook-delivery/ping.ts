/** The test event that an admin can send to an endpoint. */
import { version } from '../contract/version.ts'
import { encodeId } from '../core/ids.ts'
import { newId } from '../database/new-ids.ts'
import type { SendableDelivery } from './attempt.ts'

/** A ping is not in the feed, so its payload and its event id are made here. */
export const pingDelivery = (endpoint: { mode: string; now: string }): SendableDelivery => {
  const event_id = newId()
  const payload = JSON.stringify({
    id: encodeId('evt', event_id),
    type: 'ping',
    api_version: version,
    created_at: endpoint.now,
    data: {},
    ...(endpoint.mode === 'test' ? { sandbox: true } : {}),
  })
  return { id: newId(), event_id, attempt_count: 0, payload }
}
