/**
 * What only operators may do, straight in the database: npm run admin -- <command>.
 *
 * Invariants: a command is one transaction, and the line about it in operator_actions is part of
 * it; a secret is printed once and kept as its hash only, never in that line.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { SettingError } from '../src/startup/setting.ts'
import { Refusal } from '../src/contract/errors.ts'
import { limits } from '../src/contract/limits.ts'
import { closestMatch } from '../src/core/did-you-mean.ts'
import { hashPassword } from '../src/changes/identity/passwords.ts'
import { savedLoopbackUrl } from '../src/embedded-postgres/layout.ts'
import { databaseUrlError } from '../src/startup/database-url-error.ts'
import {
  Connection,
  DatabaseUnavailable,
  databaseError,
  inTransaction,
} from '../src/database/sql.ts'
import { insertOperatorAction } from '../src/store/operator-actions.ts'
import { BadInput, type Command } from './admin/admin-command.ts'
import { connectionCommands } from './admin/connections.ts'
import { deploymentCommands } from './admin/server-key.ts'
import { organizationCommands } from './admin/organizations.ts'
import { processorCommands } from './admin/processor.ts'
import { provenanceCommands } from './admin/provenance.ts'
import { userCommands } from './admin/users.ts'

const optionMaxLength = 200
const passwordMinLength = 12

const commands: Readonly<Record<string, Command>> = {
  ...organizationCommands,
  ...connectionCommands,
  ...userCommands,
  ...processorCommands,
  ...provenanceCommands,
  ...deploymentCommands,
}

const usageOfAll = ['npm run admin -- <command>']
  .concat(Object.entries(commands).map(([name, { usage }]) => `  ${name} ${usage}`.trimEnd()))
  .join('\n')

const isHelpRequest = (argv: readonly string[]): boolean =>
  argv[0] === 'help' || argv.includes('--help') || argv.includes('-h')

/** What was typed has no options yet: the longest name a command has is two words. */
const unknownCommandMessage = (argv: readonly string[]): string => {
  if (argv.length === 0) return usageOfAll
  const typed = argv
    .slice(0, 2)
    .filter((word) => !word.startsWith('-'))
    .join(' ')
  const near =
    closestMatch(typed, Object.keys(commands)) ?? closestMatch(argv[0]!, Object.keys(commands))
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return `There is no command ${typed || argv[0]}.${hint}\n\n${usageOfAll}`
}

/** The arguments as the usage of the command declares them. */
const parseArguments = (usage: string, args: string[]) => {
  const options = Object.fromEntries(
    Array.from(usage.matchAll(/--([a-z-]+)( ?)/g), ([, name = '', space]) => [
      name,
      { type: space === '' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { values, positionals } = parseOptions(args, options, usage)
  if (positionals.length !== [...usage.matchAll(/(?<!--[a-z]+ )<\w+>/g)].length) {
    throw new BadInput(`It takes ${usage}`)
  }
  const given = Object.entries(values).map(([name, value]) => [name, String(value).trim()] as const)
  const wrong = given.find(([, value]) => value === '' || value.length > optionMaxLength)
  if (wrong !== undefined) {
    throw new BadInput(`--${wrong[0]} must have 1 to ${optionMaxLength} characters.`)
  }
  return { words: positionals, options: Object.fromEntries(given) }
}

const parseOptions = (args: string[], options: ParseArgsOptionsConfig, usage: string) => {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    // Its first sentence says what is wrong; the second speaks of positional arguments.
    const [wrong = ''] = (error as Error).message.split(/[.\n]/)
    throw new BadInput(`${wrong}. It takes ${usage}`, { cause: error })
  }
}

/** One line of standard input; never an argument, which every process of the machine can read. */
const passwordFromInput = async (): Promise<string> => {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password.length >= passwordMinLength && password.length <= limits.passwordMaxLength) {
    return hashPassword(password)
  }
  throw new BadInput(
    `A password has ${passwordMinLength} to ${limits.passwordMaxLength} characters.`,
  )
}

/**
 * DATABASE_URL, else the database of the service that runs here: sandbox.json names it, whichever
 * it is; without practice organizations there is no such file, and it is the embedded one.
 */
const findService = async (): Promise<{ databaseUrl: string; baseUrl: string }> => {
  const given = configuredUrl()
  const { dataDir, baseUrl } = readConfig({ ...process.env, DATABASE_URL: undefined })
  if (given !== undefined) return { databaseUrl: given, baseUrl }
  const content = await readFile(join(dataDir, 'sandbox.json'), 'utf8').catch(() => '{}')
  const described = JSON.parse(content) as { database_url?: string; base_url?: string }
  const databaseUrl = described.database_url ?? savedLoopbackUrl(dataDir)
  if (databaseUrl === undefined) {
    throw new BadInput(
      `There is no service in ${dataDir}: run npm start first, or set DATABASE_URL or DATA_DIR.`,
    )
  }
  return { databaseUrl, baseUrl: described.base_url ?? baseUrl }
}

const configuredUrl = (): string | undefined => process.env['DATABASE_URL'] || undefined

const main = async (argv: readonly string[]): Promise<number> => {
  const named = Object.entries(commands).find(([one]) => `${argv.join(' ')} `.startsWith(`${one} `))
  if (isHelpRequest(argv)) {
    process.stdout.write(`${named === undefined ? usageOfAll : `${named[0]} ${named[1].usage}`}\n`)
    return 0
  }
  if (named === undefined) {
    process.stderr.write(`${unknownCommandMessage(argv)}\n`)
    return 2
  }
  const [name, command] = named
  const { words: positionals, options } = parseArguments(
    command.usage,
    argv.slice(name.split(' ').length),
  )
  const { databaseUrl, baseUrl } = await findService()
  const passwordHash = options['password-stdin'] === undefined ? null : await passwordFromInput()
  const input = { positionals, options, passwordHash, baseUrl }
  const connection = await Connection.open(databaseUrl, 'docex admin').catch((error: unknown) => {
    throw configuredUrl() === undefined ? error : databaseUrlError(error, databaseUrl)
  })
  try {
    const { lines } = await inTransaction(connection, async (tx) => {
      const done = await command.run(tx, input)
      const { subject, detail = {} } = done
      if (subject !== undefined) await insertOperatorAction(tx, name, subject, detail)
      return done
    })
    process.stdout.write(`${lines.join('\n')}\n`)
  } finally {
    await connection.close()
  }
  return 0
}

/** One line for what the operator can put right; everything for what is our mistake. */
const errorMessageOf = (error: unknown): string => {
  if (error instanceof DatabaseUnavailable) {
    return 'PostgreSQL does not answer: npm start runs the service with it, or set DATABASE_URL.'
  }
  if (databaseError(error)?.code === '42P01') {
    return 'The database has no tables of the service yet: start the service once.'
  }
  if (!(error instanceof Error)) return String(error)
  const isTheirs = [BadInput, Refusal, SettingError].some((kind) => error instanceof kind)
  return isTheirs ? error.message.split('\n', 1).join() : (error.stack ?? error.message)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${errorMessageOf(error)}\n`)
  process.exitCode = 1
}
