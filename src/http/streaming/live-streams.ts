/**
 * The open streams of this process, and the one poll that they share. A stream ends when its
 * credential does, when its reader does not keep up, and when the service stops.
 */
import type { Context } from '../../context.ts'
import { rateLimited, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import {
  type ConnectionChange,
  concerns,
  connectionChannel,
  parseConnectionChange,
} from '../../store/identity/connection-changes.ts'
import type { ConnectionViewer } from '../../store/identity/connections.ts'
import { type FeedChange, changesAfter, unseenChanges } from '../../store/webhooks/feed-changes.ts'

export interface LiveStream {
  viewer: ConnectionViewer
  personId: string
  /** The feed position of the last change that was sent. */
  position: bigint
  send(changes: readonly FeedChange[]): void
  sendConnection(change: ConnectionChange): void
  /** Nobody knows what it has missed, up to this position. */
  resync(newest: bigint): void
  /** Keeps proxies from ending a stream without changes. */
  ping(): void
  /** Whether the caller may still read it. */
  isAllowed(): Promise<boolean>
  end(): void
}

export interface LiveStreams {
  /** Settles when no change of a connection is missed from now on. */
  listen(): Promise<void>
  /** Throws a Refusal when the organization, the person or the process has too many. */
  add(stream: LiveStream): void
  remove(stream: LiveStream): void
}

type Streaming = Pick<Context, 'database' | 'log' | 'lifecycle'>

export const openLiveStreams = (context: Streaming): LiveStreams => {
  const streams = new Set<LiveStream>()
  let timer: NodeJS.Timeout | undefined
  const rounds = { done: 0 }
  const listen = () =>
    context.database.listen(connectionChannel, (payload) => {
      if (payload === '') for (const stream of streams) stream.resync(stream.position)
      const change = parseConnectionChange(payload)
      if (change === undefined) return
      for (const stream of streams)
        if (concerns(change, stream.viewer)) stream.sendConnection(change)
    })
  const round = async (): Promise<void> => {
    rounds.done += 1
    if (context.lifecycle() === 'draining') {
      for (const stream of streams) stream.end()
    } else {
      await Promise.all([listen(), sendChanges(context, streams)]).catch((error: unknown) => {
        context.log.error({ error }, 'stream_poll_failed')
      })
      if (rounds.done % limits.streamPollsPerCheck === 0) await endForbidden(streams)
      if (rounds.done % limits.streamPollsPerPing === 0) for (const one of streams) one.ping()
    }
    timer = streams.size === 0 ? undefined : next()
  }
  const next = () => setTimeout(() => void round(), limits.streamPollEveryMs).unref()
  return {
    listen,
    add: (stream) => {
      checkRoom(streams, stream)
      streams.add(stream)
      timer ??= next()
    },
    remove: (stream) => void streams.delete(stream),
  }
}

const checkRoom = (streams: ReadonlySet<LiveStream>, { viewer, personId }: LiveStream): void => {
  if (streams.size >= limits.streamsMax) {
    throw refuse('service_unavailable', 'This process has no room for another stream now.', {
      reason: 'streams',
    })
  }
  const all = [...streams]
  const own = all.filter((one) => one.viewer.organization === viewer.organization).length
  checkCount(own, limits.streamsPerOrganizationMax, 'The organization has')
  // One person may own many sandboxes, or have made the keys of many organizations.
  const ofPerson = all.filter((one) => one.personId === personId).length
  checkCount(ofPerson, limits.streamsPerPersonMax, 'You, or the keys that one person made, have')
}

const checkCount = (count: number, limit: number, whoHas: string): void => {
  if (count < limit) return
  throw rateLimited(`${whoHas} ${count} open streams here: close one, or share it.`, {
    policy: 'streams',
    limit,
    windowSeconds: limits.streamRetrySeconds,
    retryAfterSeconds: limits.streamRetrySeconds,
  })
}

/** One statement for all streams, from the position that is furthest behind. */
const sendChanges = async (
  { database }: Streaming,
  streams: ReadonlySet<LiveStream>,
): Promise<void> => {
  const positions = new Map<string, bigint>()
  for (const { viewer, position } of streams) {
    const other = positions.get(viewer.organization)
    if (other === undefined || position < other) positions.set(viewer.organization, position)
  }
  if (positions.size === 0) return
  const progress = await changesAfter(database.background, positions)
  for (const stream of streams) {
    const found = progress.get(stream.viewer.organization)
    if (found === undefined || found.newest <= stream.position) continue
    const unseen = unseenChanges(found, stream.position)
    if (unseen === undefined) stream.resync(found.newest)
    else if (unseen.length > 0) stream.send(unseen)
  }
}

const endForbidden = async (streams: ReadonlySet<LiveStream>): Promise<void> => {
  await Promise.all(
    [...streams].map(async (stream) => {
      if (!(await stream.isAllowed())) stream.end()
    }),
  )
}
