/** `docex logs tail`: the calls of the organization as they arrive, for an admin session. */
import type { Command } from 'commander'
import { pause } from '../../../sdk/src/attempt.ts'
import { delayAfter } from '../../../sdk/src/follow.ts'
import { type ListPromise, list } from '../../../sdk/src/lists.ts'
import type { RequestLogEntry } from '../../../sdk/src/generated/types.ts'
import { intervalFrom } from '../bodies.ts'
import { type Context, contextOf } from '../context.ts'
import type { Io } from '../io.ts'
import { note, printJson } from '../output.ts'
import { cellText, stdoutOf, styled } from '../style.ts'
import { groupOf } from './groups.ts'

export const addLogs = (program: Command, io: Io): void => {
  const command = groupOf(program, ['logs'])
    .command('tail')
    .summary('Show calls as they arrive')
    .description(
      'Show the calls of the organization as they arrive, but for those that read this very log. ' +
        'Needs an admin session.',
    )
    .option('--status <codes>', 'Only these HTTP statuses, with commas.')
    .option('--path <path>', 'Only this path; a * at its end matches any rest.')
    .option('--interval <ms>', 'How often to look.', '1000')
    .addHelpText(
      'after',
      '\nExample:\n  docex logs tail --profile sandbox-admin --status 400,409 --json',
    )
    .action(() => runTail(contextOf(io, command)))
}

/** An entry appears a second or two after its call, so a later one may be there before it. */
const lateMs = 10_000

const runTail = async (context: Context): Promise<void> => {
  const { io, options } = context
  const intervalMs = intervalFrom(options['interval'])
  const filters = { status: options['status'], path: options['path'] }
  const poll = pollerOf(context, filters)
  let failures = 0
  let isStarted = false
  while (!io.signal.aborted) {
    try {
      await poll()
      if (!isStarted) note(io, 'Waiting for calls. Ctrl-C ends.')
      isStarted = true
      failures = 0
      await pause(intervalMs, io.signal)
    } catch (error) {
      const delay = delayAfter(error, failures)
      if (!isStarted || delay === undefined) throw error
      failures += 1
      await pause(delay, io.signal)
    }
  }
}

/** Each poll shows what earlier ones have not shown; the first one shows nothing. */
const pollerOf = (context: Context, filters: object): (() => Promise<void>) => {
  const { io, options } = context
  const client = context.client()
  const shown = new Map<string, number>()
  const read = (query: object) =>
    list<RequestLogEntry>(client, '/v1/requests', query, { signal: io.signal })
  let startedAt: number | undefined
  return async () => {
    const from = startedAt ?? (await timeOf(read({ limit: 1 })))
    const since = new Date(from - lateMs).toISOString()
    const pages = read({ ...filters, since, limit: 100 })
    const entries = await pages.toArray({ limit: 10_000 })
    for (const entry of entries.toReversed()) {
      if (shown.has(entry.id)) continue
      shown.set(entry.id, Date.parse(entry.created_at))
      // What the first poll finds happened before.
      if (startedAt !== undefined && !isOwnPoll(entry, options['path'])) show(context, entry)
    }
    startedAt = Math.max((await timeOf(pages)) - lateMs, ...shown.values())
    for (const [id, at] of shown) if (at < startedAt - 2 * lateMs) shown.delete(id)
  }
}

/** Entries have the time of the service, and the clock of this machine may be another. */
const timeOf = async (pages: ListPromise<RequestLogEntry>): Promise<number> => {
  const { headers } = await pages.withResponse()
  return Date.parse(headers.get('date') ?? '') || Date.now()
}

/** Each poll is a call, too; it is shown only if its path is asked for. */
const isOwnPoll = ({ method, path }: RequestLogEntry, asked: unknown): boolean =>
  method === 'GET' && path === '/v1/requests' && asked !== path

const show = ({ io, options }: Context, entry: RequestLogEntry): void => {
  if (options.json === true) return printJson(io, entry)
  const { created_at, method, path, status, duration_ms, id } = entry
  const shade = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
  const code = styled(stdoutOf(io), shade, String(status))
  const call = `${method.padEnd(6)} ${cellText(path)}`
  io.stdout.write(`${created_at}  ${code}  ${call}  ${duration_ms} ms  ${id}\n`)
}
