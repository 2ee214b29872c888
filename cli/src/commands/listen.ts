/**
 * `docex listen`: forwards events to a receiver on this machine. It reads the feed and keeps the
 * last event that the receiver has, so nothing is missed while either was not there.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Client } from '../../../sdk/src/client.ts'
import { ApiError } from '../../../sdk/src/errors.ts'
import { eventsFollow } from '../../../sdk/src/follow.ts'
import type { Event, EventType } from '../../../sdk/src/generated/types.ts'
import { intervalFrom, withCommas } from '../bodies.ts'
import { type Context, contextOf } from '../context.ts'
import { UsageError } from '../failures.ts'
import type { Io } from '../io.ts'
import { note, printJson } from '../output.ts'
import { changePrivate, isObject, parsedPrivate, readPrivate } from '../private-files.ts'
import { configFolder } from '../profiles.ts'
import { type Attempt, type Receiver, deliver } from '../receiver.ts'
import { cellText, stdoutOf, styled } from '../style.ts'

export const addListen = (program: Command, io: Io): void => {
  const command = program
    .command('listen')
    .summary('Forward events to a receiver on this machine')
    .description(
      'Forward events to a local receiver, in commit order, signed like real deliveries. The first' +
        ' run begins now, a later one where this receiver stopped: after the last event that it has' +
        ' answered with 2xx or that was given up, or where the first run began. An event that is' +
        ' answered otherwise, or not within 15 s, is given up after six attempts; a receiver that is' +
        ' not there is waited for. After a reset of the sandbox, it goes on with the first event since.',
    )
    .option('--forward-to <url>', 'The receiver, such as http://localhost:3000/webhooks.')
    .option('--events <types>', 'Only these types, with commas.', withCommas)
    .option('--since <event-id>', 'Begin after this event instead, and go on from there.')
    .option('--print-secret', 'Print the secret that signs, and end.')
    .option('--interval <ms>', 'How often to look when nothing happens.', '1000')
    .addHelpText(
      'after',
      '\nExamples:\n  docex listen --forward-to http://localhost:3000/webhooks\n' +
        '  docex listen --print-secret',
    )
    .action(() => runListen(contextOf(io, command)))
}

const stateFileOf = (io: Io): string => join(configFolder(io), 'listen.json')

interface ListenState {
  /** Signs for all receivers. */
  secret: string
  /** After which event each receiver goes on: null before the first one of the feed. */
  positions: Record<string, string | null>
}

const stateIn = (file: string, text: string | undefined): ListenState => {
  if (text === undefined) {
    return { secret: `whsec_${randomBytes(32).toString('base64')}`, positions: {} }
  }
  const state = parsedPrivate<ListenState>(text, isState)
  if (state !== undefined) return state
  throw new UsageError(
    `${file} is damaged: mend it, or remove it for a new secret and a new start.`,
  )
}

const isState = ({ secret, positions }: Partial<ListenState>): boolean =>
  typeof secret === 'string' &&
  secret.startsWith('whsec_') &&
  isObject(positions) &&
  Object.values(positions).every((one) => one === null || typeof one === 'string')

/** Returns what is stored then. */
const changeState = async (
  io: Io,
  change: (state: ListenState) => ListenState,
): Promise<ListenState> => {
  const file = stateFileOf(io)
  let state: ListenState | undefined
  await changePrivate(file, (text) => (state = change(stateIn(file, text))), io.signal)
  return state!
}

const stateOf = async (io: Io): Promise<ListenState> => {
  const file = stateFileOf(io)
  const text = readPrivate(file)
  return text === undefined ? changeState(io, (state) => state) : stateIn(file, text)
}

const runListen = async (context: Context): Promise<void> => {
  const { io, options } = context
  const { secret, positions } = await stateOf(io)
  if (options['printSecret'] === true) {
    if (options.json === true) printJson(io, { secret })
    else io.stdout.write(`${secret}\n`)
    return
  }
  const url = receiverOf(options['forwardTo'])
  const intervalMs = intervalFrom(options['interval'])
  const { baseUrl } = context.credential()
  const client = context.client()
  const me = await client.json<{ organization: { id: string } }>(
    { method: 'GET', path: '/v1/me' },
    { signal: io.signal },
  )
  const place = `${baseUrl} ${me.organization.id} ${url}`
  const since = options['since'] as string | undefined
  const after = await startOf(client, io.signal, since, positions[place])
  // What happens from now on is not missed, even if this run delivers nothing.
  await keepPosition(io, place, after)
  const types = options['events'] as string | undefined
  note(io, `Forwarding ${types ?? 'all events'} to ${url}. Ctrl-C ends.`)
  const receiver: Receiver = {
    url,
    secret,
    signal: io.signal,
    waitsMs: [1_000, 2_000, 5_000, 10_000, 20_000],
    absentWaitMs: 1_000,
    timeoutMs: 15_000,
  }
  const type = types?.split(',') as EventType[] | undefined
  await forward(context, { client, place, receiver, intervalMs, type }, after)
}

/** Refuses a `--since` that the feed does not know, before it becomes the position. */
const startOf = async (
  client: Client,
  signal: AbortSignal,
  since: string | undefined,
  position: string | null | undefined,
): Promise<string | null> => {
  if (since === undefined && position !== undefined) return position
  const query = { limit: 1, after: since }
  const { data } = await client.json<{ data: Event[] }>(
    { method: 'GET', path: '/v1/events', query },
    { signal },
  )
  return since ?? data[0]?.id ?? null
}

const keepPosition = (io: Io, place: string, event: string | null): Promise<ListenState> =>
  changeState(io, (state) => ({ ...state, positions: { ...state.positions, [place]: event } }))

interface Route {
  client: Client
  place: string
  receiver: Receiver
  intervalMs: number
  type: EventType[] | undefined
}

const forward = async (context: Context, route: Route, position: string | null): Promise<void> => {
  const { io } = context
  const { client, place, receiver, intervalMs, type } = route
  let after = position
  try {
    for await (const event of eventsFollow(client, {
      after,
      signal: io.signal,
      intervalMs,
      type,
    })) {
      const last = await deliver(receiver, event, (attempt) => show(context, event, attempt))
      if (last === undefined) return
      after = event.id
      await keepPosition(io, place, after)
    }
  } catch (error) {
    if (!isOutOfFeed(error)) throw error
    note(io, 'The position of this receiver has left the feed: a reset of the sandbox, or its age.')
    note(io, 'Going on with the oldest event that there is.')
    await keepPosition(io, place, null)
    await forward(context, route, null)
  }
}

/** The position is of an event that the feed no longer has. */
const isOutOfFeed = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.is('invalid_request') &&
  error.details.errors.some(({ code }) => code === 'invalid_cursor')

const receiverOf = (given: unknown): string => {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError('Send --forward-to with an http URL, or --print-secret.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--forward-to takes no user and password: what it sends is signed.')
  }
  return url.href
}

const show = ({ io, options }: Context, event: Event, attempt: Attempt): void => {
  const { id, type, created_at } = event
  if (options.json === true) return printJson(io, { event_id: id, type, created_at, ...attempt })
  const { status, error, duration_ms: ms } = attempt
  const isGood = status !== null && status < 300
  const outcome = styled(stdoutOf(io), isGood ? 'green' : 'red', String(status ?? error))
  const again = attempt.number > 1 ? `  attempt ${attempt.number}` : ''
  io.stdout.write(`${created_at}  ${cellText(type)}  ${id}  ${outcome}  ${ms} ms${again}\n`)
}
