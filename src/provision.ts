/**
 * The practice organizations of a deployment, made on its first start: one pair in the sandbox, one
 * pair in live mode that is neither verified nor connected to a processor, so that isolation and
 * capabilities can be tried. What a developer needs to use them is in $DATA_DIR/sandbox.json.
 *
 * API keys are made once and kept in that file; session tokens are minted anew at every start.
 */
import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Change } from './changes/caller.ts'
import { moveDocument } from './changes/documents.ts'
import { issueDraft } from './changes/issue.ts'
import { createDraft } from './changes/drafts.ts'
import {
  addMember,
  connect,
  createOrganization,
  createUser,
  openSession,
} from './changes/organizations.ts'
import { fullKey, makePair } from './changes/sandboxes.ts'
import type { Context } from './context.ts'
import { decodeId, encodeId } from './core/ids.ts'
import { hashPassword } from './passwords.ts'
import { type Database, type Session, sql } from './sql.ts'
import type { Rows } from './store/rows.ts'
import { decideAsSystem } from './tasks/decide.ts'

interface Side {
  id: string
  name: string
  api_key: string
  admin_session_token: string
}

/** Contract 10: what `npm start` leaves for a developer. */
export interface SandboxFile {
  base_url: string
  console_url: string
  organization: Side & { admin: { email: string; password: string } }
  demo: Side
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

const names = {
  practice: 'Practice Organization',
  demo: 'Demo Counterparty',
  live: 'Practice Live Organization',
  liveCounterparty: 'Practice Live Counterparty',
}
const adminEmail = 'admin@practice.example'
const demoEmail = 'admin@demo.example'

/** Provisions what is missing, mints fresh sessions and writes the file. */
export const provision = async (
  context: Context,
  options: { dataDir: string; baseUrl: string; databaseUrl: string },
): Promise<{ file: string; isFirst: boolean }> => {
  const { database } = context
  const file = join(options.dataDir, 'sandbox.json')
  const kept = await readKept(file)
  const known = await database.transaction(async (tx) => {
    // One provisioner at a time; the second finds the work done.
    await tx.run(sql`select pg_advisory_xact_lock(4216772)`)
    return isStillThere(tx, kept)
  })
  const made = known ? kept! : await provisionAll(database)
  if (!known) await firstDocuments(context, made)
  const fresh = await withSessions(database, made)
  const content: SandboxFile = {
    ...fresh,
    base_url: options.baseUrl,
    console_url: `${options.baseUrl}/app`,
    database_url: options.databaseUrl,
  }
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return { file, isFirst: !known }
}

const readKept = async (file: string): Promise<SandboxFile | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SandboxFile
  } catch {
    return undefined
  }
}

/** A file that was copied from elsewhere, or whose database was replaced, is no good here. */
const isStillThere = async (tx: Session, kept: SandboxFile | undefined): Promise<boolean> => {
  const ids = [kept?.organization?.id, kept?.demo?.id, kept?.live?.id, kept?.live?.counterparty_id]
  for (const id of ids) {
    const uuid = id === undefined ? undefined : decodeId('org', id)
    if (uuid === undefined) return false
    const rows = await tx.rows(sql`select 1 from organizations where id = ${uuid}`)
    if (rows.length === 0) return false
  }
  return true
}

const provisionAll = async (database: Database): Promise<SandboxFile> => {
  const password = randomBytes(15).toString('base64url')
  const passwordHash = await hashPassword(password)
  return database.transaction(async (tx) => {
    const admin = await userFor(tx, adminEmail, 'Practice Admin', passwordHash)
    const demoAdmin = await userFor(tx, demoEmail, 'Demo Admin', null)
    const live = await livePair(tx, admin, demoAdmin)
    const pair = await makePair(tx, {
      owner: { id: decodeId('org', live.id)!, isLive: true },
      names: { organization: names.practice, demo: names.demo },
      verified: true,
      admin,
      demoAdmin,
    })
    return {
      base_url: '',
      console_url: '',
      organization: {
        ...(await sideOf(tx, pair.organization, names.practice, admin)),
        admin: { email: adminEmail, password },
      },
      demo: await sideOf(tx, pair.demo, names.demo, demoAdmin),
      connection_id: encodeId('con', pair.connection),
      live,
      database_url: '',
    }
  })
}

/** What the demo side has sent already: a bill to approve, a bill to pay, a quote to answer. */
const firstDocuments = async (context: Context, made: SandboxFile): Promise<void> => {
  const [practice, demo] = [made.organization.id, made.demo.id].map((id) => decodeId('org', id)!)
  const needs = {
    connections: [decodeId('con', made.connection_id)!],
    heads: [practice!, demo!],
  }
  const send = (change: Change, document_type: 'invoice' | 'quote', unit_price: number) => {
    const line = { description: 'Practice goods', quantity: 1, unit_price, tax_rate: 0.08 }
    const body = { connection_id: made.connection_id, document_type, line_items: [line] }
    return issueDraft(change, createDraft(change, demo!, 'app', body) as Rows['documents'])
  }
  await decideAsSystem(context, demo!, needs, (change) => {
    send(change, 'invoice', 250)
    moveDocument(change, send(change, 'invoice', 480), 'counterparty', { to: 'approved' })
    send(change, 'quote', 1200)
  })
}

const livePair = async (tx: Session, admin: string, demoAdmin: string) => {
  const id = await liveOrganization(tx, names.live, admin)
  const counterparty = await liveOrganization(tx, names.liveCounterparty, demoAdmin)
  const connection = await connect(tx, {
    a: id,
    b: counterparty,
    mode: 'live',
    invitedBy: id,
    terms: 'Net 30',
    currency: 'USD',
    status: 'active',
  })
  return {
    id: encodeId('org', id),
    name: names.live,
    admin_session_token: '',
    counterparty_id: encodeId('org', counterparty),
    counterparty_admin_session_token: '',
    connection_id: encodeId('con', connection),
  }
}

const liveOrganization = async (tx: Session, name: string, owner: string): Promise<string> => {
  const wanted = { name, mode: 'live' as const, verified: false, currency: 'USD' }
  const id = await createOrganization(tx, wanted)
  await addMember(tx, { user: owner, organization: id, role: 'owner' })
  return id
}

const userFor = async (
  tx: Session,
  email: string,
  name: string,
  passwordHash: string | null,
): Promise<string> => {
  const [known] = await tx.rows<{ id: string }>(sql`
    update users set password_hash = coalesce(${passwordHash}, password_hash)
    where email = ${email} returning id`)
  return known?.id ?? createUser(tx, { email, name, passwordHash })
}

const sideOf = async (tx: Session, id: string, name: string, admin: string): Promise<Side> => ({
  id: encodeId('org', id),
  name,
  api_key: await fullKey(tx, id, admin),
  admin_session_token: '',
})

const withSessions = async (database: Database, made: SandboxFile): Promise<SandboxFile> =>
  database.transaction(async (tx) => {
    const token = async (organization: string): Promise<string> => {
      const uuid = decodeId('org', organization)!
      const [owner] = await tx.rows<{ user_id: string; mode: string }>(sql`
        select m.user_id, o.mode from memberships m join organizations o on o.id = m.organization_id
        where m.organization_id = ${uuid} and m.role = 'owner' order by m.created_at limit 1`)
      const mode = owner!.mode as 'live' | 'test'
      return (await openSession(tx, { user: owner!.user_id, organization: uuid, mode })).token
    }
    const { organization, demo, live } = made
    return {
      ...made,
      organization: { ...organization, admin_session_token: await token(organization.id) },
      demo: { ...demo, admin_session_token: await token(demo.id) },
      live: {
        ...live,
        admin_session_token: await token(live.id),
        counterparty_admin_session_token: await token(live.counterparty_id),
      },
    }
  })
