/** `docex clock advance` and `docex trigger`: what happens in a sandbox, on demand. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Argument, type Command } from 'commander'
import type { Client } from '../../../sdk/src/client.ts'
import { type Context, contextOf, withoutKey } from '../context.ts'
import { UsageError } from '../failures.ts'
import type { Io } from '../io.ts'
import { printJson, recordText } from '../output.ts'
import { groupOf } from './groups.ts'
import { addWriteOptions, callOptions, printResponse } from './operations.ts'

export const addSandbox = (program: Command, io: Io): void => {
  const advance = addWriteOptions(
    groupOf(program, ['clock'])
      .command('advance')
      .argument('<duration-or-time>', 'Such as P1D, P1M or PT90S, or 2026-12-24.')
      .summary('Move the clock of the sandbox forward')
      .description('Move the clock of the sandbox forward. What falls due happens before it ends.')
      .addHelpText('after', '\nExample:\n  docex clock advance P6D'),
  ).action(async (target: string) => {
    const context = contextOf(io, advance)
    // The refusal of a duration names the forms of a time, too.
    const isTime = /^\d{4}-/.test(target)
    const body = isTime ? { advance_to: target } : { advance_by: target }
    const call = { method: 'POST', path: '/v1/sandbox/clock', body } as const
    printResponse(context, await context.client().bytes(call, callOptions(context)))
  })
  const trigger = program
    .command('trigger')
    .addArgument(new Argument('<event>', 'The event.').choices(Object.keys(fixtures)))
    .summary('Make an event happen in the sandbox')
    .description(
      'Make calls in the sandbox that cause an event. --override, --add and --remove change the' +
        ' document that is created, by its path in the event, such as data.document.notes.',
    )
    .option('--override <path=value>', 'Set a field; may be repeated.', collected)
    .option('--add <path=value>', 'The same, for a field that is not there.', collected)
    .option('--remove <path>', 'Leave a field out; may be repeated.', collected)
    .option('--edit', 'Edit the document in $EDITOR first.')
    .addHelpText(
      'after',
      '\nExample:\n  docex trigger document.created --override data.document.notes=Hello',
    )
    .action((event: EventName) => runTrigger(contextOf(io, trigger), event))
}

const collected = (value: string, before: string[] = []): string[] => [...before, value]

type Body = Record<string, unknown>

interface Created {
  id: string
  connection_id: string
}

interface Calls {
  /** Sends a write and returns its answer. */
  post(path: string, body?: object): Promise<Created>
  patch(path: string, body: object): Promise<unknown>
}

/** The calls that cause each event; the last one does. All begin with a document of the partner. */
const fixtures = {
  'document.created': async () => undefined,
  'document.edited': async ({ post, patch }: Calls, { connection_id }: Created) => {
    const { id } = await post('/v1/documents', {
      connection_id,
      document_type: 'invoice',
      line_items: initialBody()['line_items'],
    })
    await patch(`/v1/documents/${id}`, { notes: 'Edited by docex trigger.' })
  },
  'document.status_changed': async ({ post }: Calls, { id }: Created) => {
    await post(`/v1/documents/${id}/transition`, { to: 'approved' })
  },
  'payment.settled': async ({ post }: Calls, { id }: Created) => {
    await post(`/v1/documents/${id}/transition`, { to: 'approved' })
    await post(`/v1/documents/${id}/pay`, { source_account_id: 'acct_test_ok' })
  },
  'payment.failed': async ({ post }: Calls, { id }: Created) => {
    await post(`/v1/documents/${id}/transition`, { to: 'approved' })
    await post(`/v1/documents/${id}/pay`, { source_account_id: 'acct_test_insufficient_funds' })
    await post('/v1/sandbox/clock', { advance_by: 'PT1M' })
  },
} as const

type EventName = keyof typeof fixtures

const initialBody = (): Body => ({
  document_type: 'invoice',
  scenario: 'manual',
  line_items: [{ description: 'Consulting', quantity: 2, unit_price: 150, tax_rate: 0.08 }],
  notes: 'Made by docex trigger.',
})

const runTrigger = async (context: Context, event: EventName): Promise<void> => {
  const { io, options } = context
  const client = context.client()
  const body = changedBody(initialBody(), options)
  const edited = options['edit'] === true ? editedBody(io, body) : body
  const calls = callsOf(client, io)
  const { id } = await withoutKey(async () => {
    const created = await calls.post('/v1/sandbox/demo/documents', edited)
    await fixtures[event](calls, created)
    return created
  })
  const result = { event, document_id: id }
  if (options.json === true) printJson(io, result)
  else io.stdout.write(recordText(io, result))
}

const callsOf = (client: Client, { signal }: Io): Calls => ({
  post: (path, body = {}) => client.json({ method: 'POST', path, body }, { signal }),
  patch: (path, body) => client.json({ method: 'PATCH', path, body }, { signal }),
})

/** The body with the changes that the options name by their path in the event. */
const changedBody = (body: Body, options: Context['options']): Body => {
  const changed = structuredClone(body)
  const { override = [], add = [], remove = [] } = options as Record<string, string[] | undefined>
  for (const assignment of [...override, ...add]) {
    const at = assignment.indexOf('=')
    if (at === -1) throw new UsageError(`${assignment}: send path=value.`)
    const [holder, name] = placeOf(changed, assignment.slice(0, at))
    holder[name] = valueOf(assignment.slice(at + 1))
  }
  for (const path of remove) {
    const [holder, name] = placeOf(changed, path)
    delete holder[name]
  }
  return changed
}

/** JSON where it is JSON, otherwise the text itself. */
const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const placeOf = (body: Body, path: string): [holder: Body, name: string] => {
  const names = path.replace(/^data\.document\./, '').split('.')
  const name = names.pop()!
  const isPlain = [...names, name].every((one) => /^[\w-]+$/.test(one) && one !== '__proto__')
  if (!isPlain) throw new UsageError(`${path} is not a path such as data.document.notes.`)
  const holder = names.reduce<unknown>((at, one) => (at as Body | undefined)?.[one], body)
  if (typeof holder !== 'object' || holder === null) {
    throw new UsageError(`${path}: there is no ${names.join('.')}.`)
  }
  return [holder as Body, name]
}

const editedBody = ({ env }: Io, body: Body): Body => {
  const editor = env['VISUAL'] || env['EDITOR']
  if (!editor) throw new UsageError('--edit needs an editor: set EDITOR.')
  const folder = mkdtempSync(join(tmpdir(), 'docex-'))
  const file = join(folder, 'document.json')
  try {
    writeFileSync(file, `${JSON.stringify(body, null, 2)}\n`)
    // An editor may have arguments of its own, as in `code --wait`.
    const { status } = spawnSync(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
    if (status !== 0) throw new UsageError(`${editor} ended with ${status}: nothing was sent.`)
    return JSON.parse(readFileSync(file, 'utf8')) as Body
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`Not JSON: ${error.message}`)
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
