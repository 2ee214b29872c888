/** `docex <resource> <verb>`: the commands of the operations. */
import { type Command, Option } from 'commander'
import type { ApiResponse } from '../../../sdk/src/api-promise.ts'
import { ApiError } from '../../../sdk/src/errors.ts'
import type { DocumentHistory, DocumentRecord } from '../../../sdk/src/generated/types.ts'
import {
  type CallDescription,
  type ChangeOptions,
  type FileInput,
  segment,
} from '../../../sdk/src/request.ts'
import { list } from '../../../sdk/src/lists.ts'
import { proof } from '../../../sdk/src/proof.ts'
import { type DocumentChange, followStream } from '../../../sdk/src/stream.ts'
import { addData, fieldValue, fileFrom, headerText, objectFrom, withCommas } from '../bodies.ts'
import { type Context, contextOf } from '../context.ts'
import { UsageError } from '../failures.ts'
import type { Io } from '../io.ts'
import type { CommandField, OperationCommand } from '../operation-command.ts'
import { columnsOf, note, printJson, recordText, tableText } from '../output.ts'
import { cellText } from '../style.ts'
import { groupOf } from './groups.ts'
import { historyView } from './history-view.ts'

export const addOperations = (
  program: Command,
  io: Io,
  commands: readonly OperationCommand[],
): void => {
  for (const operation of commands) {
    const group = groupOf(program, operation.words.slice(0, -1))
    const command = group
      .command(operation.words.at(-1)!)
      .summary(operation.summary)
      .description([`${operation.summary}.`, operation.description].filter(Boolean).join('\n\n'))
      .addHelpText('after', `\n${examplesOf(operation)}`)
    for (const { name, description } of operation.parameters) {
      command.argument(`<${name.replaceAll('_', '-')}>`, description)
    }
    if (operation.fields.some(isWords)) command.argument('[words...]', 'The same as --q.')
    addOptions(command, operation)
    command.action(async () => runOperation(contextOf(io, command), operation, command.args))
  }
}

/** What is searched for is an argument too, since it is what people type. */
const isWords = ({ name, place, required }: CommandField): boolean =>
  name === 'q' && place === 'query' && required

const examplesOf = ({ body, example, fields, words }: OperationCommand): string => {
  if (fields.some(isWords)) return `Examples:\n  ${example}\n  ${example.replace(' --q', '')}`
  if (body === 'none' || body === 'file') return `Example:\n  ${example}`
  const file = words.join(' ') === 'documents create' ? 'invoice.json' : 'body.json'
  const withoutFlags = example.replace(/ --.*/s, '')
  return `Examples:\n  ${example}\n  ${withoutFlags} --data @${file}`
}

/** The names that commander gives to options: `--connection-id` is `connectionId`. */
const optionName = (flag: string): string =>
  flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const placeholders = {
  text: 'text',
  number: 'number',
  boolean: 'true|false',
  list: 'a,b',
  json: 'json|@file|@-',
}

const addOptions = (command: Command, operation: OperationCommand): void => {
  const { fields, body, method, isList, takesIfMatch, isLive } = operation
  for (const field of fields) {
    const { flag, kind, description, choices, required, place } = field
    const values = choices.length === 0 ? '' : ` One of: ${choices.join(', ')}.`
    const need = required ? ' Required.' : ''
    const option = new Option(`--${flag} <${placeholders[kind]}>`, description + need + values)
    if (kind === 'list') option.argParser(withCommas)
    const isMandatory = required && place === 'query' && !isWords(field)
    command.addOption(option.makeOptionMandatory(isMandatory))
  }
  if (isList) command.option('--all', 'Every row of all pages.')
  if (isLive)
    command.option('--last-event-id <id>', 'The last one that you have; else from now on.')
  if (body === 'file') {
    command
      .requiredOption('--file <path>', 'The file to send; - for stdin.')
      .option('--filename <name>', 'Another name than that of the file.')
      .option('--content-type <type>', 'Its media type, such as application/pdf.')
  } else if (body !== 'none') {
    addData(command, 'The whole body; flags change single fields of it.')
  }
  if (method !== 'GET') addWriteOptions(command)
  if (takesIfMatch) {
    const description = 'Only if the document still has this revision.'
    command.option('--if-match <revision>', description, headerText)
  }
}

export const addWriteOptions = (command: Command): Command =>
  command
    .option(
      '--idempotency-key <key>',
      'One per intention; the same key has no second effect.',
      headerText,
    )
    .option('--dry-run', 'Run every check and change nothing.')

/** The options of a write, as the client takes them. */
export const callOptions = ({ options, io }: Context): ChangeOptions => {
  const { idempotencyKey, dryRun, ifMatch } = options as ChangeOptions
  return { idempotencyKey, dryRun, ifMatch, signal: io.signal }
}

const runOperation = async (
  context: Context,
  operation: OperationCommand,
  ids: readonly string[],
): Promise<void> => {
  const { io, options } = context
  const call = await callOf(context, operation, ids)
  const columns = (options['fields'] as string | undefined)?.split(',') ?? operation.columns
  if (operation.isList && options['all'] === true) return printAll(context, call, columns)
  if (operation.isLive) return printChanges(context, call.path)
  if (operation.id.endsWith('.export')) {
    const { bytes } = await proof(context.client(), call.path, { signal: io.signal })
    io.stdout.write(bytes)
    return
  }
  const response = await context.client().bytes(call, callOptions(context))
  if (operation.isExact) io.stdout.write(response.data)
  else printResponse(context, response, columns, views[operation.id])
}

/** One change per line: JSON with `--json`, else for a person. */
const printChanges = async (context: Context, path: string): Promise<void> => {
  const { io, options } = context
  const lastEventId = options['lastEventId'] as string | undefined
  const changes = followStream(context.client(), path, { lastEventId, signal: io.signal })
  for await (const change of changes) {
    if (options.json === true) printJson(io, change)
    else io.stdout.write(await changeLine(context, change))
  }
}

/** A change is only a name: what it led to is in the record, if that can still be read. */
const changeLine = async (context: Context, change: DocumentChange): Promise<string> => {
  if (change.type === 'resync') return 'Changes may be missing: load everything again.\n'
  const { object, id, type, updated_at: time } = change
  const call = { method: 'GET', path: `/v1/${object}s/${segment(id)}` } as const
  const document = await context
    .client()
    .json<Partial<Pick<DocumentRecord, 'number'>> & Pick<DocumentRecord, 'status'>>(call, {
      signal: context.io.signal,
    })
    .catch((error: unknown) => {
      if (error instanceof ApiError) return undefined
      throw error
    })
  const words = [time, document?.number ?? id, document?.status ?? '–', type]
  return `${words.map(cellText).join('  ')}\n`
}

const callOf = async (
  { io, options }: Context,
  operation: OperationCommand,
  ids: readonly string[],
): Promise<CallDescription> => {
  const { method, parameters, fields } = operation
  const path = parameters.reduce(
    (text, { name }, i) => text.replace(`{${name}}`, segmentOf(name, ids[i]!)),
    operation.path,
  )
  const query: Record<string, string> = {}
  const body: Record<string, unknown> = {}
  let hasBody = false
  if (typeof options['data'] === 'string') {
    Object.assign(body, await objectFrom(io, options['data'], '--data'))
    hasBody = true
  }
  for (const field of fields) {
    const given = isWords(field)
      ? wordsOf(options['q'], ids.slice(parameters.length), operation)
      : (options[optionName(field.flag)] as string | undefined)
    if (given === undefined) continue
    if (field.place === 'query') query[field.name] = given
    else body[field.name] = await fieldValue(io, field, given)
    hasBody ||= field.place === 'body'
  }
  if (operation.body === 'required' && !hasBody) throw withoutBody(operation)
  const file = operation.body === 'file' ? await fileOf(io, options) : undefined
  return {
    method,
    path,
    query,
    ...(file === undefined
      ? hasBody && { body }
      : { file: { ...file, ...(hasBody && { fields: body as Record<string, string> }) } }),
  }
}

const wordsOf = (
  flag: unknown,
  words: readonly string[],
  { example }: OperationCommand,
): string => {
  const given = words.length > 0 ? words.join(' ') : flag
  if (typeof given === 'string' && (words.length === 0 || flag === undefined)) return given
  throw new UsageError(`Say what to look for, as words or with --q. For example: ${example}`)
}

const fileOf = (io: Io, options: Context['options']): Promise<FileInput> => {
  const { file, filename, contentType } = options as Record<string, string | undefined>
  return fileFrom(io, file!, { filename, contentType })
}

/** `.` and `..` would be taken as parts of the path, and lead to another operation. */
const segmentOf = (name: string, id: string): string => {
  if (id === '' || id === '.' || id === '..') throw new UsageError(`<${name}> is empty.`)
  return segment(id)
}

const withoutBody = ({ fields, example }: OperationCommand): UsageError => {
  const needed = fields.filter(({ required, place }) => required && place === 'body')
  const flags = needed.map(({ flag }) => `--${flag}`).join(', ')
  return new UsageError(`Send ${flags} or --data. For example: ${example}`)
}

type Row = Readonly<Record<string, unknown>>

/** What a person sees of an answer: fields as a table, or a sentence. */
type View = (value: Row) => Row | string

/** For answers with much that only programs need, or that say something by being empty. */
const views: Readonly<Record<string, View>> = {
  'documents.history': (value) => historyView(value as unknown as DocumentHistory),
  'documents.checks': (value) =>
    (value['problems'] as Row[]).length > 0 ? value : 'No problems: the export breaks no rule.\n',
}

/** The answer of a single call, in either form. */
export const printResponse = (
  { io, options }: Context,
  { data, headers, replayed }: ApiResponse<Uint8Array>,
  columns: readonly string[] = [],
  view: View = (value) => value,
): void => {
  if (headers.get('svc-dry-run') === 'true') note(io, 'Dry run: nothing was changed.')
  if (replayed) note(io, 'Replayed: the response of the first request with this Idempotency-Key.')
  if (options.json === true) {
    io.stdout.write(data)
    io.stdout.write('\n')
    return
  }
  if (headers.get('content-type')?.startsWith('application/json') !== true) {
    io.stdout.write(data)
    return
  }
  const value = view(JSON.parse(new TextDecoder().decode(data)) as Row)
  if (typeof value === 'string') {
    io.stdout.write(value)
    return
  }
  const rows = value['data']
  if (!Array.isArray(rows) || !('next_cursor' in value)) {
    io.stdout.write(recordText(io, value))
    return
  }
  io.stdout.write(tableText(io, rows as Row[], shownColumns(rows as Row[], columns)))
  const cursor = value['next_cursor']
  if (typeof cursor === 'string') note(io, `More: --cursor ${cursor}, or --all for every row.`)
}

const shownColumns = (rows: readonly Row[], columns: readonly string[]): readonly string[] => {
  if (columns.length > 0) return columns
  return rows.length === 0 ? ['id'] : columnsOf(rows)
}

/** Pages are printed as they come. With `--json` the whole is one page without a next one. */
const printAll = async (
  context: Context,
  call: CallDescription,
  columns: readonly string[],
): Promise<void> => {
  const { io, options } = context
  const pages = list<Row>(context.client(), call.path, call.query, { signal: io.signal }).pages()
  if (options.json !== true) {
    const rows: Row[] = []
    for await (const page of pages) rows.push(...page.data)
    io.stdout.write(tableText(io, rows, shownColumns(rows, columns)))
    return
  }
  let isFirst = true
  for await (const page of pages) {
    const rows = page.data.map((row) => JSON.stringify(row)).join(',\n')
    const separator = isFirst ? '{"data":[' : rows === '' ? '' : ',\n'
    io.stdout.write(separator + rows)
    isFirst = false
  }
  io.stdout.write('],"has_more":false,"next_cursor":null}\n')
}
