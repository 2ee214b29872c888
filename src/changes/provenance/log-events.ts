/** A log's own stream: changes of its keys and epochs are events in the log like any other. */
import { hash } from 'node:crypto'
import type { HistoryKeys } from '../../core/provenance/history-keys.ts'
import { buildHistoryEvent, saltSeedBytes, streamOf } from '../../core/provenance/history-event.ts'
import { epochOf } from '../../core/provenance/signed-notes.ts'
import type { Queryable } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import { pooledRandomBytes } from '../../database/new-ids.ts'
import * as store from '../../store/provenance/transparency-log.ts'
import type { TransparencyLog } from '../../notary/notary.ts'

/** Each epoch has its own stream. The stream's id and salt are public: nothing in it is secret. */
const streamName = ({ id, origin }: Pick<TransparencyLog, 'id' | 'origin'>): string => {
  const epoch = epochOf(origin)
  return epoch === 1 ? id : `${id}/${epoch}`
}

const streamId = (name: string): string => {
  const hex = hash('sha256', `svc-log/1\n${name}`).slice(0, 32)
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([a, b]) => hex.slice(a, b))
    .join('-')
}

const publicSalt = Buffer.alloc(16)

/** Where a log's own events are, and the stream that their headers name. */
export const logStream = (
  log: Pick<TransparencyLog, 'id' | 'origin'>,
): { document_id: string; stream: string } => {
  const name = streamName(log)
  return { document_id: streamId(name), stream: streamOf(publicSalt, `log_${name}`) }
}

export interface LogEventContext {
  historyKeys: HistoryKeys
  at: string
}

/** Appends to the log's own stream and queues the event like any other. */
export const appendLogEvent = async (
  tx: Queryable,
  log: Pick<TransparencyLog, 'id' | 'origin'>,
  { body, historyKeys, at }: LogEventContext & { body: object },
): Promise<void> => {
  const { document_id, stream } = logStream(log)
  const before = await store.lastEventOf(tx, document_id)
  const previous = { seq: before?.seq ?? 0, hash: before?.hash ?? null }
  const slots = { shared: body, issuer: null, counterparty: null, finance: null }
  const saltSeed = pooledRandomBytes(saltSeedBytes)
  const macKey = historyKeys.newest
  const event = buildHistoryEvent({ stream, previous, at, slots, saltSeed, macKey })
  await insertRows(tx, 'prov_event', [{ document_id, ...event }])
  const { seq, hash: eventHash } = event
  await insertRows(tx, 'log_queue', [{ log_id: log.id, document_id, seq, hash: eventHash }])
}
