/**
 * The command line of `npm run admin`, apart from the process that it runs in.
 *
 * Invariants: a command is one transaction, which includes its row in operator_actions; only
 * `rekey` takes many, and can be repeated. A secret is printed once, stored as a hash only, and
 * never part of that row.
 */
import {
  CommanderError,
  InvalidArgumentError,
  type OptionValues,
  Command as Program,
} from 'commander'
import type { Config } from '../../src/config.ts'
import { SettingError } from '../../src/startup/setting.ts'
import { Refusal } from '../../src/contract/errors.ts'
import { forbiddenCharacterMessage } from '../../src/core/forbidden-characters.ts'
import { limits } from '../../src/contract/limits.ts'
import { hashPassword } from '../../src/changes/identity/passwords.ts'
import { type RowSeals, openRowSeals } from '../../src/database/row-seals.ts'
import { checkServerKey } from '../../src/startup/database-server-key.ts'
import { type Keyring, openExistingKeyring } from '../../src/startup/keyring.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable, databaseError } from '../../src/database/sql.ts'
import { isReadOnly, isTransient } from '../../src/engine/database-failures.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { insertOperatorAction } from '../../src/store/operator-actions.ts'
import { BadInput, type Command } from './admin-command.ts'
import { connectionCommands } from './connections.ts'
import { deploymentCommands } from './server-key.ts'
import { organizationCommands } from './organizations.ts'
import { processorCommands } from './processor.ts'
import { provenanceCommands } from './provenance.ts'
import { rekeyCommands } from './rekey.ts'
import { findService, openServiceDatabase } from './service-database.ts'
import { userCommands } from './users.ts'

const optionMaxLength = 200
const passwordMinLength = 12

const commands: Readonly<Record<string, Command>> = {
  ...organizationCommands,
  ...connectionCommands,
  ...userCommands,
  ...processorCommands,
  ...provenanceCommands,
  ...deploymentCommands,
  ...rekeyCommands,
}

const groups: Readonly<Record<string, string>> = {
  organization: 'create, list, verify, suspend or resume organizations',
  connection: 'create or list connections',
  user: 'add or list users',
  'second-factor': 'remove the second factor of a user',
  processor: 'connect live organizations to the payment processor',
  'server-key': 'release the database from a lost server key',
}

/** What a process gives to its command line. */
export interface Terminal {
  settings: NodeJS.ProcessEnv
  readInput(): Promise<string>
  write(output: string): void
  writeError(output: string): void
}

/** The named command with its arguments and options; commander refuses anything else. */
const parse = (argv: readonly string[], { write, writeError }: Terminal) => {
  let parsed:
    | { name: string; command: Command; positionals: string[]; given: OptionValues }
    | undefined
  const program = new Program('npm run admin --')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: writeError })
  for (const [name, command] of Object.entries(commands)) {
    const { summary, arguments: positional, required = [], options = [] } = command
    const [first = '', second] = name.split(' ')
    const group = second === undefined ? program : groupOf(program, first)
    const sub = group.command(second ?? first).description(summary)
    if (positional !== undefined) sub.arguments(positional)
    for (const flags of required) sub.requiredOption(flags, '', textOfOption)
    for (const flags of options) {
      if (flags.includes('<')) sub.option(flags, '', textOfOption)
      else sub.option(flags)
    }
    sub.action(() => {
      parsed = { name, command, positionals: sub.args, given: sub.opts() }
    })
  }
  program.addHelpText('after', () => `\nAll commands:\n${usageLines(program).join('\n')}`)
  program.parse(argv, { from: 'user' })
  return parsed!
}

const groupOf = (program: Program, name: string): Program =>
  program.commands.find((one) => one.name() === name) ??
  program.command(name).description(groups[name]!)

/** Every command with its arguments and options, one line each. */
const usageLines = (program: Program): string[] =>
  program.commands.flatMap((command) => {
    if (command.commands.length > 0) {
      return usageLines(command).map((line) => line.replace('  ', `  ${command.name()} `))
    }
    const flags = command.options.map((one) => (one.mandatory ? one.flags : `[${one.flags}]`))
    const positionals = command.registeredArguments.map((one) => `<${one.name()}>`)
    return [`  ${[command.name(), ...positionals, ...flags].join(' ')}`]
  })

const textOfOption = (value: string, previous: string | undefined): string => {
  if (previous !== undefined) throw new InvalidArgumentError('It is given twice.')
  const text = value.trim()
  const forbidden = forbiddenCharacterMessage(text)
  if (forbidden !== undefined) throw new InvalidArgumentError(forbidden)
  if (/[\t\r\n]/.test(text)) throw new InvalidArgumentError('It must be one line, without tabs.')
  if (text.length > 0 && text.length <= optionMaxLength) return text
  throw new InvalidArgumentError(`It must have 1 to ${optionMaxLength} characters.`)
}

/** Read from standard input, because every process of the machine can read arguments. */
const passwordFromInput = async ({ readInput }: Terminal): Promise<string> => {
  const password = (await readInput()).replace(/\r?\n$/, '')
  if (password.length >= passwordMinLength && password.length <= limits.passwordMaxLength) {
    return hashPassword(password)
  }
  throw new BadInput(
    `A password has ${passwordMinLength} to ${limits.passwordMaxLength} characters.`,
  )
}

/** Rows are sealed under the server key: without it, a command can neither read nor write them. */
const serverKeyOf = async (config: Config): Promise<Keyring> => {
  const keyring = await openExistingKeyring(config)
  if (keyring !== undefined) return keyring
  throw new BadInput(
    `There is no server key in ${config.dataDir}: set SERVER_KEY, or the DATA_DIR of the service.`,
  )
}

/** Seals rows as the first generation, whatever the database was written under. */
const unnumberedSeals = ({ seals }: Keyring): RowSeals => ({
  ...openRowSeals(seals),
  generation: undefined,
})

const runCommand = async (argv: readonly string[], terminal: Terminal): Promise<void> => {
  const { settings, write } = terminal
  const { name, command, positionals, given } = parse(argv, terminal)
  const options = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, String(value)]),
  )
  const service = await findService(settings)
  const { config, baseUrl } = service
  const keyring = await serverKeyOf(config)
  const passwordHash =
    options['passwordStdin'] === undefined ? null : await passwordFromInput(terminal)
  const input = { positionals, options, passwordHash, baseUrl }
  const isNew = command.acceptsAnyServerKey === true
  const seals = isNew ? unnumberedSeals(keyring) : openRowSeals(keyring.seals, keyring.renew)
  const { connection, close } = await openServiceDatabase(service, seals)
  try {
    if (!isNew) await checkServerKey(connection, keyring)
    const tools = { config, keyring, print: (line: string) => write(`${line}\n`) }
    if (command.perform !== undefined) return await command.perform(connection, input, tools)
    const { lines } = await inTransaction(connection, async (tx) => {
      const done = await command.run!(tx, input, tools)
      const { subject, detail = {} } = done
      if (subject !== undefined) await insertOperatorAction(tx, name, subject, detail)
      return done
    })
    await command.afterCommit?.()
    write(`${lines.join('\n')}\n`)
  } finally {
    await close()
  }
}

/** PostgreSQL's codes for a table and for a column that does not exist. */
const missingInDatabase = ['42P01', '42703']

/** PostgreSQL's code of what somebody else has inserted at the same time. */
const uniqueViolation = '23505'

/** One line for a mistake of the operator, the whole error for one of ours. */
const errorMessageOf = (error: unknown): string => {
  if (isReadOnly(error)) return 'PostgreSQL is read-only: give the command to the primary.'
  if (error instanceof DatabaseUnavailable) {
    return 'PostgreSQL does not answer: npm start runs the service with it, or set DATABASE_URL.'
  }
  if (error instanceof CommitOutcomeUnknown) {
    return 'The connection to PostgreSQL broke at the end: look whether the command took effect before you give the command again.'
  }
  if (isTransient(error) || databaseError(error)?.code === uniqueViolation) {
    return 'The database is busy with the same or other work: give the command again.'
  }
  if (missingInDatabase.includes(databaseError(error)?.code ?? '')) {
    return 'The database does not have the tables of this version: start the service once.'
  }
  if (!(error instanceof Error)) return String(error)
  const isTheirs = [BadInput, Refusal, SettingError].some((kind) => error instanceof kind)
  return isTheirs ? error.message.split('\n', 1).join() : (error.stack ?? error.message)
}

/** Returns the exit code: 1 if the command fails, 2 if there is no such command or option. */
export const runCommandLine = async (
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> => {
  try {
    await runCommand(argv, terminal)
    return 0
  } catch (error) {
    // Commander has printed the help or what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    terminal.writeError(`${errorMessageOf(error)}\n`)
    return 1
  }
}
