/**
 * The practice organizations, made once per database: one pair in the sandbox, one pair in live
 * mode that is neither verified nor connected to a processor, so that isolation and capabilities
 * can be tried. What a developer needs to use them is in $DATA_DIR/sandbox.json.
 *
 * API keys are made once and kept in that file; session tokens are minted anew at every start. A
 * lost file is made anew where it was lost, with other keys and another password for the same
 * organizations; a process elsewhere leaves all that alone and says where the file is.
 */
import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { createConnection } from '../changes/identity/connections.ts'
import { seedDocuments } from '../changes/sandbox/seed-documents.ts'
import { createOrganization } from '../changes/identity/organizations.ts'
import { createFullAccessKey, createPair } from '../changes/sandbox/practice-pairs.ts'
import { openSession } from '../changes/identity/sessions.ts'
import { addMembership, createUser } from '../changes/identity/users.ts'
import type { Context } from '../context.ts'
import { encodeId } from '../core/ids.ts'
import { hashPassword } from '../changes/identity/passwords.ts'
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

/** Contract 10: what `npm start` leaves for a developer. */
export interface SandboxFile {
  base_url: string
  console_url: string
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

export interface ProvisionOptions {
  dataDir: string
  baseUrl: string
  databaseUrl: string
  /** The database lies in dataDir itself: so does its file, wherever the folder was moved. */
  isEmbedded: boolean
}

/** Where the credentials are, and whether this start wrote them. */
export interface ProvisionResult {
  file: string
  did: 'made' | 'kept' | 'renewed' | 'left alone'
}

const provisionLockKey = 4_216_772

/** Provisions what is missing, mints fresh sessions and writes the file. */
export const provision = async (
  context: Context,
  options: ProvisionOptions,
): Promise<ProvisionResult> => {
  const file = resolve(options.dataDir, 'sandbox.json')
  const place = `${hostname()}:${file}`
  const stored = await readSandboxFile(file)
  const { content, practice, ...provisioned } = await context.database.transaction(async (tx) => {
    await acquireStartupLock(tx, provisionLockKey)
    const known = await practiceOf(tx)
    const practice = known ?? (await makePractice(tx, place))
    const credentials = storedCredentials(stored, practice)
    const isOwn = options.isEmbedded || practice.credentials_location === place
    if (credentials === undefined && !isOwn) {
      return {
        content: undefined,
        practice,
        file: practice.credentials_location,
        did: 'left alone',
      } as const
    }
    if (credentials === undefined) await setPracticeCredentialsLocation(tx, place)
    const fresh = credentials ?? (await makeCredentials(tx, practice))
    const did = known === undefined ? 'made' : credentials === undefined ? 'renewed' : 'kept'
    const content = await sandboxFileOf(tx, practice, fresh, options)
    return { content, practice, file, did } as const
  })
  const isFresh = provisioned.did === 'made' || provisioned.did === 'renewed'
  if (isFresh) {
    await seedDocuments(context.performAsSystem, [practice])
  }
  if (content !== undefined) {
    await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  return provisioned
}

/** As far as it goes: somebody may have edited it. */
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

/** What is shown once and kept in the file. */
interface Credentials {
  key: string
  demoKey: string
  password: string
}

/** Not of a file that was copied, is not whole, or belongs to another database. */
const storedCredentials = (
  kept: StoredSandboxFile | undefined,
  practice: Practice,
): Credentials | undefined => {
  if (kept?.organization?.id !== encodeId('org', practice.organization_id)) return undefined
  const key = kept.organization.api_key
  const demoKey = kept.demo?.api_key
  const password = kept.organization.admin?.password
  if (key === undefined || demoKey === undefined || password === undefined) return undefined
  return { key, demoKey, password }
}

const makePractice = async (tx: Queryable, place: string): Promise<Practice> => {
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
    credentials_location: place,
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
  const wanted = { name, mode: 'live' as const, verified: false, currency: 'USD' }
  const id = await createOrganization(tx, wanted)
  await addMembership(tx, { user: owner, organization: id, role: 'owner' })
  return id
}

const makeCredentials = async (tx: Queryable, practice: Practice): Promise<Credentials> => {
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
  const [owner] = await tx.rows<{ user_id: string }>(sql`
    select user_id from memberships where organization_id = ${organization} and role = 'owner'
    order by created_at limit 1`)
  return owner!.user_id
}

const sandboxFileOf = async (
  tx: Queryable,
  practice: Practice,
  { key, demoKey, password }: Credentials,
  { baseUrl, databaseUrl }: ProvisionOptions,
): Promise<SandboxFile> => {
  const token = async (organization: string, mode: 'live' | 'test'): Promise<string> => {
    const user = await ownerOf(tx, organization)
    return (await openSession(tx, { user, organization, mode })).token
  }
  return {
    base_url: baseUrl,
    console_url: `${baseUrl}/app`,
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
