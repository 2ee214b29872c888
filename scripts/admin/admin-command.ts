/** The form of an operator's command, and parsers of arguments that several commands share. */
import { normalizeEmail } from '../../src/core/identity/email-addresses.ts'
import { currencies } from '../../src/contract/currencies.ts'
import { decodeId } from '../../src/core/ids.ts'
import type { Config } from '../../src/config.ts'
import type { Keyring } from '../../src/startup/keyring.ts'
import type { Connection, Queryable } from '../../src/database/sql.ts'
import { organizationForUpdate } from '../../src/store/identity/access-versions.ts'
import type { OrganizationRow } from '../../src/store/identity/organizations.ts'
import { type UserRow, userByEmail } from '../../src/store/identity/users.ts'

/** A mistake that the operator can correct, described in one line. */
export class BadInput extends Error {}

export interface CommandInput {
  positionals: readonly string[]
  options: Readonly<Record<string, string | undefined>>
  /** Read from standard input, already hashed. */
  passwordHash: string | null
  baseUrl: string
}

export interface CommandTools {
  config: Config
  keyring: Keyring
  print(line: string): void
}

/** The output; a change also names its subject and the details to record. */
export interface CommandResult {
  lines: readonly string[]
  subject?: string
  detail?: object
}

export type CommandRun = (
  tx: Connection,
  input: CommandInput,
  tools: CommandTools,
) => Promise<CommandResult>

export interface Command {
  summary: string
  /** Positional arguments as commander declares them, such as `<org_id>`. */
  arguments?: string
  /** Flags of required options, such as `--name <name>`. */
  required?: readonly string[]
  options?: readonly string[]
  /** For commands whose point is that the database's server key is gone. */
  acceptsAnyServerKey?: boolean
  /** In one transaction, with its row in operator_actions. */
  run?: CommandRun
  /** Waits, before the output, until what was committed holds in every process. */
  afterCommit?(): Promise<void>
  /** Instead of `run`: in transactions of its own. */
  perform?(db: Connection, input: CommandInput, tools: CommandTools): Promise<void>
}

/** A longer list is cut; its option narrows it. */
export const listMaxRows = 500

export const listResult = (rows: readonly string[], none: string): CommandResult => {
  if (rows.length === 0) return { lines: [none] }
  const isCut = rows.length === listMaxRows
  return { lines: isCut ? [...rows, `The newest ${listMaxRows}: narrow the list.`] : rows }
}

/** Names come from others, so they are escaped and cannot control a terminal. */
export const quotedName = (name: string): string => JSON.stringify(name)

export const requiredOption = (options: CommandInput['options'], name: string): string => {
  const value = options[name]
  if (value === undefined) throw new BadInput(`--${name} is missing.`)
  if (value.trim() === '') throw new BadInput(`--${name} is blank.`)
  return value
}

export const parseCurrency = (value: string): string => {
  if (currencies.some((one) => one === value)) return value
  throw new BadInput(`--currency must be one of ${currencies.join(', ')}.`)
}

export const parseOrganizationId = (value: string): string => {
  const id = decodeId('org', value)
  if (id !== undefined) return id
  throw new BadInput(
    `${value} is no organization id: one is org_ and 26 characters; organization list prints them.`,
  )
}

export const organizationOf = async (tx: Queryable, value: string): Promise<OrganizationRow> => {
  const organization = await organizationForUpdate(tx, parseOrganizationId(value))
  if (organization === undefined) throw new BadInput(`There is no organization ${value}.`)
  return organization
}

export const userOf = async (tx: Queryable, value: string): Promise<UserRow> => {
  const user = await userByEmail(tx, normalizeEmail(value))
  if (user === undefined) throw new BadInput(`There is no user ${value}: user list prints them.`)
  return user
}
