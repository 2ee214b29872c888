/** Values of flags, and bodies: single fields, or JSON from the argument, a file or stdin. */
import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import type { FileInput } from '../../sdk/src/request.ts'
import { countKeys } from '../../src/core/json-text.ts'
import { duplicateKeyIn } from '../../src/core/strict-json.ts'
import { UsageError } from './failures.ts'
import type { Io } from './io.ts'
import { isHeaderText } from './profiles.ts'
import type { CommandField } from './operation-command.ts'

/** `{…}`, `@file` or `@-`. */
const jsonFrom = async (io: Io, given: string, name: string): Promise<unknown> => {
  const source = given.startsWith('@') ? await textFrom(io, given.slice(1), name) : given
  const exact = (_: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'number') checkExact(name, context?.source ?? String(value))
    return value
  }
  try {
    const value = JSON.parse(source, exact) as unknown
    checkKeys(name, source, value)
    return value
  } catch (error) {
    if (error instanceof UsageError) throw error
    const hint = hintOfFile(given, name)
    throw new UsageError(`${name} is not JSON: ${(error as Error).message}${hint}`)
  }
}

/** The service refuses another encoding, which would be U+FFFD here and pass its rule. */
const textFrom = async (io: Io, path: string, name: string): Promise<string> => {
  const bytes = path === '-' ? await buffer(io.stdin) : bytesIn(path)
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  const source = path === '-' ? 'stdin' : path
  throw new UsageError(`${name} takes UTF-8, and ${source} is in another encoding.`)
}

/** Node.js does not name a folder that is read as a file. */
const bytesIn = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new UsageError(`${path} cannot be read: ${unreadable[code] ?? code}.`)
  }
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you have no right to',
}

/** Others would be rounded here, and pass the rule of the service that refuses them. */
const checkExact = (name: string, given: string): void => {
  const kept = String(Number(given))
  const meant = decimalOf(given)
  if (meant === undefined || meant === decimalOf(kept)) return
  throw new UsageError(`${name}: ${given} would become ${kept}; send a number with fewer digits.`)
}

/** Of equal keys the value has the last one only, which the service could not refuse. */
const checkKeys = (name: string, given: string, value: unknown): void => {
  const problem = duplicateKeyIn(given, countKeys(JSON.stringify(value)))
  if (problem === undefined) return
  const place = problem.param === '' ? name : `${name}, at ${problem.param}`
  throw new UsageError(`${place}: ${problem.message}`)
}

/** The same text for each way to write a decimal number. */
const decimalOf = (number: string): string | undefined => {
  const [, sign, whole = '', part = '', exponent = 0] =
    /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = `${whole}${part}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (sign === undefined) return undefined
  if (significant === '') return '0'
  const place = Number(exponent) - part.length + digits.length - significant.length
  return `${sign}${significant}e${place}`
}

/** For whoever names a file without the `@`. */
const hintOfFile = (given: string, name: string): string =>
  existsSync(given) && statSync(given).isFile() ? `; did you mean ${name} @${given}?` : ''

/** The option `--data`, also for whoever gives the file as an argument. */
export const addData = (command: Command, description: string): Command =>
  command.option('--data <json|@file|@->', description).exitOverride((error) => {
    const [file] = command.args.slice(command.registeredArguments.length)
    const hint = file === undefined ? '' : hintOfFile(file, '--data')
    if (error.code !== 'commander.excessArguments' || hint === '') throw error
    throw new UsageError(error.message.replace(/\.$/, hint))
  })

export const objectFrom = async (io: Io, given: string, name: string): Promise<object> => {
  const value = await jsonFrom(io, given, name)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new UsageError(`${name} must be a JSON object.`)
}

/** The value of one flag as the body has it. */
export const fieldValue = async (
  io: Io,
  { flag, kind }: CommandField,
  given: string,
): Promise<unknown> => {
  const name = `--${flag}`
  if (kind === 'json') return jsonFrom(io, given, name)
  if (kind === 'list') return given.split(',').map((one) => one.trim())
  if (kind === 'boolean') {
    if (given !== 'true' && given !== 'false') throw new UsageError(`${name} is true or false.`)
    return given === 'true'
  }
  if (kind === 'number') {
    if (given.trim() === '' || !Number.isFinite(Number(given))) {
      throw new UsageError(`${name} is a number, such as 2500 or 19.99.`)
    }
    checkExact(name, given.trim())
    return Number(given)
  }
  return given
}

export const fileFrom = async (
  io: Io,
  path: string,
  { filename, contentType }: { filename: string | undefined; contentType: string | undefined },
): Promise<FileInput> => {
  if (path === '-' && filename === undefined) {
    throw new UsageError('A file from stdin needs --filename.')
  }
  return {
    filename: filename ?? basename(path),
    content: path === '-' ? await buffer(io.stdin) : bytesIn(path),
    contentType,
  }
}

/** The value of a flag that becomes a header. */
export const headerText = (text: string): string => {
  if (isHeaderText(text)) return text
  throw new InvalidArgumentError('It takes visible ASCII characters only.')
}

/** The value of `--interval`, in milliseconds. */
export const intervalFrom = (given: unknown): number => {
  const intervalMs = Number(given)
  if (intervalMs >= 100 && intervalMs <= 60_000) return intervalMs
  throw new UsageError('--interval is a number of milliseconds from 100 to 60000.')
}

/** The value of a flag for a list, which may also be repeated. */
export const withCommas = (value: string, before: string | undefined): string =>
  before === undefined ? value : `${before},${value}`
