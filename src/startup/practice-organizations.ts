/**
 * Creates the practice organizations once per database: one pair in the sandbox, and one pair in
 * live mode that is neither verified nor connected to a processor, so that a developer can try
 * isolation and capabilities. Their credentials are in $DATA_DIR/sandbox.json.
 *
 * That file keeps the API keys; every start mints new session tokens. When the file is lost, the
 * process that owned it writes a new one, with new keys and a new password for the same
 * organizations. A process with another DATA_DIR changes nothing and reports where the file is.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { createConnection } from '../changes/identity/connections.ts'
import { seedDocuments } from '../changes/sandbox/seed-documents.ts'
import { createOrganization } from '../changes/identity/organizations.ts'
import { createFullAccessKey, createPair } from '../changes/sandbox/practice-pairs.ts'
import { openSession } from '../changes/identity/new-session.ts'
import { addMembership, createUser } from '../changes/identity/users.ts'
import { databaseNow } from '../database/database-clock.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { isRefusal } from '../contract/errors.ts'
import { encodeId } from '../core/ids.ts'
import { hashPassword } from '../changes/identity/passwords.ts'
import { BrokenSeal, missingRow } from '../database/row-seals.ts'
import { acquireStartupLock } from '../database/startup-lock.ts'
import { type Queryable, sql } from '../database/sql.ts'
import { setPasswordHash, userByEmail } from '../store/identity/users.ts'
import {
  type Practice,
  insertPractice,
  practiceOf,
  setPracticeCredentialsLocation,
} from '../store/deployment.ts'

interface OrganizationCredentials {
  id: string
  name: string
  api_key: string
  admin_session_token: string
}

/** The credentials that `npm start` leaves for a developer (contract 10). */
export interface SandboxFile {
  base_url: string
  /** The web app, where the admin signs in, unless it is not built here. */
  console_url?: string
  organization: OrganizationCredentials & { admin: { email: string; password: string } }
  demo: OrganizationCredentials
  connection_id: string
  live: {
    id: string
    name: string
    admin_session_token: string
    counterparty_id: string
    counterparty_admin_session_token: string
    connection_id: string
  }
  database_url: string
}

const organizationNames = {
  practice: 'Practice Organization',
  demo: 'Demo Counterparty',
  live: 'Practice Live Organization',
  liveCounterparty: 'Practice Live Counterparty',
}
const adminEmail = 'admin@practice.example'
const demoEmail = 'admin@demo.example'

interface ProvisionOptions extends Pick<Config, 'dataDir' | 'baseUrl' | 'consoleDir'> {
  databaseUrl: string
  /** The database lies in dataDir, so this process owns the file even if the folder has moved. */
  isEmbedded: boolean
}

/** Where the credentials are, and what this start did to them. */
export interface ProvisionResult {
  file: string
  /** Withheld: somebody has changed the practice organizations in the database. */
  outcome: 'created' | 'kept' | 'renewed' | 'elsewhere' | 'withheld'
}

const provisionLockKey = 4_216_772

/**
 * Creates what is missing, mints new sessions and writes the file. Rows that cannot be believed
 * raise the alarm and keep nobody else from being served.
 */
export const provisionPracticeOrganizations = async (
  context: Context,
  options: ProvisionOptions,
): Promise<ProvisionResult> => {
  const file = resolve(options.dataDir, 'sandbox.json')
  try {
    return await provision(context, options, file)
  } catch (error) {
    const refusal = error instanceof BrokenSeal ? await context.refuseBrokenSeal(error) : error
    if (!isRefusal(refusal, 'integrity_failure')) throw refusal
    return { file, outcome: 'withheld' }
  }
}

const provision = async (
  context: Context,
  options: ProvisionOptions,
  file: string,
): Promise<ProvisionResult> => {
  const location = `${hostname()}:${file}`
  const stored = await readSandboxFile(file)
  const { content, practice, ...provisioned } = await context.database.transaction(async (tx) => {
    await acquireStartupLock(tx, provisionLockKey)
    const existing = await practiceOf(tx)
    const practice = existing ?? (await createPractice(tx, location))
    const credentials = storedCredentials(stored, practice)
    const isOwn = options.isEmbedded || practice.credentials_location === location
    if (credentials === undefined && !isOwn) {
      return {
        content: undefined,
        practice,
        file: practice.credentials_location,
        outcome: 'elsewhere',
      } as const
    }
    if (credentials === undefined) await setPracticeCredentialsLocation(tx, location)
    const current = credentials ?? (await createCredentials(tx, practice))
    const outcome =
      existing === undefined ? 'created' : credentials === undefined ? 'renewed' : 'kept'
    const content = await sandboxFileOf(tx, practice, current, options)
    return { content, practice, file, outcome } as const
  })
  if (provisioned.outcome === 'created' || provisioned.outcome === 'renewed') {
    await seedDocuments(context.performAsSystem, [practice])
  }
  if (content !== undefined) {
    await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  return provisioned
}

/** Every field is optional, because somebody may have edited the file. */
type StoredSandboxFile = {
  organization?: Partial<SandboxFile['organization']>
  demo?: Partial<OrganizationCredentials>
}

const readSandboxFile = async (file: string): Promise<StoredSandboxFile | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as StoredSandboxFile
  } catch {
    return undefined
  }
}

/** The secrets that only the file keeps. */
interface Credentials {
  key: string
  demoKey: string
  password: string
}

/** Undefined when the file is incomplete or belongs to another database. */
const storedCredentials = (
  stored: StoredSandboxFile | undefined,
  practice: Practice,
): Credentials | undefined => {
  if (stored?.organization?.id !== encodeId('org', practice.organization_id)) return undefined
  const key = stored.organization.api_key
  const demoKey = stored.demo?.api_key
  const password = stored.organization.admin?.password
  if (key === undefined || demoKey === undefined || password === undefined) return undefined
  return { key, demoKey, password }
}

const createPractice = async (tx: Queryable, location: string): Promise<Practice> => {
  const admin = await findOrCreateUser(tx, adminEmail, 'Practice Admin')
  const demoAdmin = await findOrCreateUser(tx, demoEmail, 'Demo Admin')
  const live = await createLiveOrganization(tx, organizationNames.live, admin)
  const liveCounterparty = await createLiveOrganization(
    tx,
    organizationNames.liveCounterparty,
    demoAdmin,
  )
  const pair = await createPair(tx, {
    owner: { id: live, isLive: true },
    names: { organization: organizationNames.practice, demo: organizationNames.demo },
    verified: true,
    admin,
    demoAdmin,
  })
  // Who tries the service sees both sides of a record (docs/decisions/0162).
  await addMembership(tx, { user: admin, organization: pair.demo, role: 'admin' })
  const practice: Practice = {
    organization_id: pair.organization,
    demo_organization_id: pair.demo,
    connection_id: pair.connection,
    live_organization_id: live,
    live_counterparty_id: liveCounterparty,
    live_connection_id: await createConnection(tx, {
      a: live,
      b: liveCounterparty,
      mode: 'live',
      invitedBy: live,
      terms: 'Net 30',
      currency: 'USD',
      status: 'active',
    }),
    credentials_location: location,
    at: await databaseNow(tx),
  }
  await insertPractice(tx, practice)
  return practice
}

const findOrCreateUser = async (tx: Queryable, email: string, name: string): Promise<string> =>
  (await userByEmail(tx, email))?.id ?? createUser(tx, { email, name, passwordHash: null })

const createLiveOrganization = async (
  tx: Queryable,
  name: string,
  owner: string,
): Promise<string> => {
  const draft = { name, mode: 'live' as const, verified: false, currency: 'USD' }
  const id = await createOrganization(tx, draft)
  await addMembership(tx, { user: owner, organization: id, role: 'owner' })
  return id
}

const createCredentials = async (tx: Queryable, practice: Practice): Promise<Credentials> => {
  const password = randomBytes(15).toString('base64url')
  const admin = await ownerOf(tx, practice.organization_id)
  await setPasswordHash(tx, admin, await hashPassword(password))
  const demoAdmin = await ownerOf(tx, practice.demo_organization_id)
  return {
    key: await createFullAccessKey(tx, practice.organization_id, admin),
    demoKey: await createFullAccessKey(tx, practice.demo_organization_id, demoAdmin),
    password,
  }
}

const ownerOf = async (tx: Queryable, organization: string): Promise<string> => {
  const owner = await tx.row<{ user_id: string }>(sql`
    select user_id from memberships where organization_id = ${organization} and role = 'owner'
    order by created_at limit 1`)
  if (owner === undefined) throw missingRow('memberships', organization)
  return owner.user_id
}

/** Built, or being built beside this start (scripts/ensure-console). */
const hasConsole = (folder: string): boolean =>
  existsSync(join(folder, 'index.html')) || existsSync(join(folder, '../.building'))

const sandboxFileOf = async (
  tx: Queryable,
  practice: Practice,
  { key, demoKey, password }: Credentials,
  { baseUrl, databaseUrl, consoleDir }: ProvisionOptions,
): Promise<SandboxFile> => {
  const token = async (organization: string, mode: 'live' | 'test'): Promise<string> => {
    const user = await ownerOf(tx, organization)
    return (await openSession(tx, { user, organization, mode })).token
  }
  return {
    base_url: baseUrl,
    ...(hasConsole(consoleDir) ? { console_url: `${baseUrl}/app` } : {}),
    organization: {
      id: encodeId('org', practice.organization_id),
      name: organizationNames.practice,
      api_key: key,
      admin_session_token: await token(practice.organization_id, 'test'),
      admin: { email: adminEmail, password },
    },
    demo: {
      id: encodeId('org', practice.demo_organization_id),
      name: organizationNames.demo,
      api_key: demoKey,
      admin_session_token: await token(practice.demo_organization_id, 'test'),
    },
    connection_id: encodeId('con', practice.connection_id),
    live: {
      id: encodeId('org', practice.live_organization_id),
      name: organizationNames.live,
      admin_session_token: await token(practice.live_organization_id, 'live'),
      counterparty_id: encodeId('org', practice.live_counterparty_id),
      counterparty_admin_session_token: await token(practice.live_counterparty_id, 'live'),
      connection_id: encodeId('con', practice.live_connection_id),
    },
    database_url: databaseUrl,
  }
}
