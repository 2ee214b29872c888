/**
 * What only operators may do, straight in the database: npm run admin -- <command>.
 *
 * Invariants: a command is one transaction, and the line about it in operator_actions is part of
 * it; a secret is printed once and kept as its hash only, never in that line.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { SettingError, readConfig } from '../src/config.ts'
import { Refusal } from '../src/contract/errors.ts'
import { limits } from '../src/contract/limits.ts'
import { currencies } from '../src/contract/currencies.ts'
import * as organizations from '../src/changes/organizations.ts'
import { chosenMembership, makeLink, signIn } from '../src/changes/sessions.ts'
import { decodeId, encodeId } from '../src/core/ids.ts'
import { hashPassword } from '../src/passwords.ts'
import {
  Connection,
  DatabaseUnavailable,
  type Session,
  databaseError,
  inTransaction,
} from '../src/sql.ts'
import * as users from '../src/store/users.ts'
import { BadInput, type Command, type Done, type Given } from './admin-command.ts'
import { connectProcessor } from './admin-processor.ts'

const optionMaxLength = 200
const passwordMinLength = 12

const createLive = async (tx: Session, { options }: Given): Promise<Done> => {
  const name = needed(options, 'name')
  const currency = currencyOf(options['currency'] ?? 'USD')
  const verified = options['verified'] !== undefined
  const made = { name, mode: 'live', verified, currency } as const
  const organization = await organizations.createOrganization(tx, made)
  const subject = encodeId('org', organization)
  const state = verified ? 'verified' : 'not verified'
  const detail = { verified, currency }
  const says = [`Created ${name} (${subject}): live, ${state}, ${currency}.`]
  if (options['admin-email'] === undefined) return { subject, detail, says }
  const { user, isNew } = await organizations.appoint(tx, {
    email: options['admin-email'],
    name: options['admin-name'],
    organization,
    role: 'owner',
    passwordHash: null,
  })
  const owner = encodeId('usr', user.id)
  says.push(`${user.email} (${owner}${isNew ? ', new' : ''}) is its owner.`, ...howToSignIn(user))
  return { subject, detail: { ...detail, owner }, says }
}

const howToSignIn = ({ email, password_hash: hash }: users.UserRow): string[] =>
  hash === null ? [`No password yet: npm run admin -- link ${email} prints a sign-in link.`] : []

/** verify, suspend and resume leave the state before, and say so when there is nothing to leave. */
const changing =
  (set: typeof users.setVerified, state: string): Command['run'] =>
  async (tx, { words: [id = ''] }) => {
    const { id: uuid, name } = await organizationOf(tx, id)
    if ((await set(tx, uuid)) === 0) throw new BadInput(`${name} (${id}) is ${state} already.`)
    return { subject: id, detail: {}, says: [`${name} (${id}) is ${state} now.`] }
  }

const addUser = async (tx: Session, { options, passwordHash }: Given): Promise<Done> => {
  const { id: organization, name } = await organizationOf(tx, needed(options, 'organization'))
  const role = (['owner', 'admin', 'member'] as const).find((one) => one === options['role'])
  if (role === undefined) throw new BadInput('--role must be owner, admin or member.')
  const { user, isNew, roleBefore } = await organizations.appoint(tx, {
    email: needed(options, 'email'),
    name: options['name'],
    organization,
    role,
    passwordHash,
  })
  const id = encodeId('usr', user.id)
  const org = encodeId('org', organization)
  const change = roleBefore === undefined ? '' : `, before: ${roleBefore}`
  return {
    subject: id,
    detail: { organization: org, role, password_set: passwordHash !== null },
    says: [
      `${user.email} (${id}${isNew ? ', new' : ''}) is ${role} of ${name} (${org}${change}).`,
      ...(passwordHash === null ? howToSignIn(user) : ['The password is set.']),
    ],
  }
}

const printLink = async (tx: Session, { words: [email = ''], baseUrl }: Given): Promise<Done> => {
  const user = await userOf(tx, email)
  // Refuses when there is nothing to sign in to.
  chosenMembership(await users.membershipsOf(tx, user.id), undefined)
  const { token, expires_at } = await makeLink(tx, user.id)
  const intro = `Sign-in link of ${user.email}, for one use until ${expires_at}:`
  const body = `-H 'Content-Type: application/json' -d '{"link":"${token}"}'`
  const command = `curl -X POST ${baseUrl}/auth/sessions ${body}`
  return {
    subject: encodeId('usr', user.id),
    detail: { expires_at },
    says: [intro, token, command],
  }
}

const printSession = async (tx: Session, { words, options }: Given): Promise<Done> => {
  const user = await userOf(tx, words[0] ?? '')
  const wanted = options['organization']
  const named = wanted === undefined ? undefined : organizationId(wanted)
  const { opened, membership } = await signIn(tx, user.id, named)
  const organization = encodeId('org', membership.organization_id)
  const { role, organization_name: name } = membership
  const whose = `${user.email}, ${role} of ${name} (${organization})`
  return {
    subject: encodeId('usr', user.id),
    detail: { session: encodeId('ses', opened.id), organization },
    says: [`Session of ${whose}, until ${opened.expires_at}:`, opened.token],
  }
}

const createConnection = async (tx: Session, { words, options }: Given): Promise<Done> => {
  const inviting = await organizationOf(tx, words[0] ?? '')
  const invited = await organizationOf(tx, words[1] ?? '')
  const terms = options['terms'] ?? null
  const currency = currencyOf(options['currency'] ?? inviting.default_currency)
  const id = await organizations.connectAtOnce(tx, inviting, invited, { terms, currency })
  const subject = encodeId('con', id)
  const agreed = `${terms ?? 'no default terms'}, ${currency}`
  const says = [`Connected ${inviting.name} and ${invited.name} (${subject}): active, ${agreed}.`]
  return { subject, detail: { organizations: words, terms, currency }, says }
}

const commands: Readonly<Record<string, Command>> = {
  'organization create': {
    usage: '--name N [--verified] [--currency USD] [--admin-email E --admin-name N]',
    run: createLive,
  },
  'organization verify': { usage: '<org_id>', run: changing(users.setVerified, 'verified') },
  'organization suspend': { usage: '<org_id>', run: changing(users.setSuspended, 'suspended') },
  'organization resume': { usage: '<org_id>', run: changing(users.setResumed, 'active') },
  'processor connect': {
    usage: '<org_id> --customer cus_… --methods USD=pm_…,EUR=pm_… --payout acct_…',
    run: async (tx, given) =>
      connectProcessor(tx, await organizationOf(tx, given.words[0] ?? ''), given),
  },
  'connection create': {
    usage: '<org_id> <org_id> [--terms "Net 30"] [--currency USD]',
    run: createConnection,
  },
  'user add': {
    usage:
      '--email E --name N --organization <org_id> --role owner|admin|member [--password-stdin]',
    run: addUser,
  },
  link: { usage: '<email>', run: printLink },
  session: { usage: '<email> [--organization <org_id>]', run: printSession },
}

const usageOfAll = ['npm run admin -- <command>']
  .concat(Object.entries(commands).map(([name, { usage }]) => `  ${name} ${usage}`))
  .join('\n')

/** The arguments as the usage of the command declares them. */
const parse = (usage: string, args: string[]) => {
  const options = Object.fromEntries(
    Array.from(usage.matchAll(/--([a-z-]+)( ?)/g), ([, name = '', space]) => [
      name,
      { type: space === '' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { values, positionals: words } = parseArgs({ args, options, allowPositionals: true })
  if (words.length !== [...usage.matchAll(/(?<!--[a-z]+ )<\w+>/g)].length) {
    throw new BadInput(`It takes ${usage}`)
  }
  const given = Object.entries(values).map(([name, value]) => [name, String(value).trim()] as const)
  const wrong = given.find(([, value]) => value === '' || value.length > optionMaxLength)
  if (wrong !== undefined) {
    throw new BadInput(`--${wrong[0]} must have 1 to ${optionMaxLength} characters.`)
  }
  return { words, options: Object.fromEntries(given) }
}

const needed = (options: Given['options'], name: string): string => {
  const value = options[name]
  if (value === undefined) throw new BadInput(`--${name} is missing.`)
  return value
}

const currencyOf = (value: string): string => {
  if (currencies.some((one) => one === value)) return value
  throw new BadInput(`--currency must be one of ${currencies.join(', ')}.`)
}

const organizationId = (value: string): string => {
  const id = decodeId('org', value)
  if (id === undefined) throw new BadInput(`${value} is no organization id: one begins with org_.`)
  return id
}

const organizationOf = async (tx: Session, value: string): Promise<users.OrganizationRow> => {
  const organization = await users.organizationForUpdate(tx, organizationId(value))
  if (organization === undefined) throw new BadInput(`There is no organization ${value}.`)
  return organization
}

const userOf = async (tx: Session, value: string): Promise<users.UserRow> => {
  const user = await users.userByEmail(tx, organizations.keptEmail(value))
  if (user === undefined) throw new BadInput(`There is no user ${value}.`)
  return user
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

/** DATABASE_URL, else the database of the service that runs here. */
const findService = async (): Promise<{ databaseUrl: string; baseUrl: string }> => {
  const given = process.env['DATABASE_URL'] || undefined
  const { dataDir, baseUrl } = readConfig({ ...process.env, DATABASE_URL: undefined })
  if (given !== undefined) return { databaseUrl: given, baseUrl }
  const file = join(dataDir, 'sandbox.json')
  const content = await readFile(file, 'utf8').catch(() => undefined)
  if (content === undefined) {
    throw new BadInput(`There is no ${file}: run npm start first, or set DATABASE_URL or DATA_DIR.`)
  }
  const { database_url: databaseUrl, base_url } = JSON.parse(content) as Record<string, string>
  return { databaseUrl: databaseUrl ?? '', baseUrl: base_url ?? baseUrl }
}

const main = async (argv: readonly string[]): Promise<number> => {
  const named = Object.entries(commands).find(([one]) => `${argv.join(' ')} `.startsWith(`${one} `))
  if (named === undefined) {
    process.stderr.write(`${usageOfAll}\n`)
    return 2
  }
  const [name, command] = named
  const { words, options } = parse(command.usage, argv.slice(name.split(' ').length))
  const { databaseUrl, baseUrl } = await findService()
  const passwordHash = options['password-stdin'] === undefined ? null : await passwordFromInput()
  const given = { words, options, passwordHash, baseUrl }
  const connection = await Connection.open(databaseUrl, 'docex admin')
  try {
    const { says } = await inTransaction(connection, async (tx) => {
      const done = await command.run(tx, given)
      await users.insertOperatorAction(tx, name, done.subject, done.detail)
      return done
    })
    process.stdout.write(`${says.join('\n')}\n`)
  } finally {
    await connection.close()
  }
  return 0
}

/** One line for what the operator can put right; everything for what is our mistake. */
const explain = (error: unknown): string => {
  if (error instanceof DatabaseUnavailable) {
    return 'PostgreSQL does not answer: npm start runs the service with it, or set DATABASE_URL.'
  }
  if (databaseError(error)?.code === '42P01') {
    return 'The database has no tables of the service yet: start the service once.'
  }
  if (!(error instanceof Error)) return String(error)
  const isTheirs = [BadInput, Refusal, SettingError].some((kind) => error instanceof kind)
  const isUsage = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')
  return isTheirs || isUsage ? error.message.split('\n', 1).join() : (error.stack ?? error.message)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
