/**
 * Practice pairs (domain 6): a sandbox organization, a demo counterparty and the connection between
 * them. The one of the first start and those that are asked for later are made here, alike.
 */
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { scopeNames } from '../../contract/scopes.ts'
import { newId } from '../../database/new-ids.ts'
import type { Session } from '../../database/sql.ts'
import { databaseNow } from '../../store/sandbox/clocks.ts'
import { organizationForUpdate } from '../../store/identity/organizations.ts'
import {
  countSandboxes,
  insertSandbox,
  ownerOfSandbox,
} from '../../store/sandbox/practice-pairs.ts'
import { connect } from '../identity/connections.ts'
import { mint } from '../identity/keys.ts'
import { createOrganization } from '../identity/organizations.ts'
import { openSession } from '../identity/sessions.ts'
import { addMember } from '../identity/users.ts'

export interface WantedPair {
  /** Whose practice it is: a live organization, or a sandbox without a live owner. */
  owner: { id: string; isLive: boolean }
  names: { organization: string; demo: string }
  verified: boolean
  /** The users who own the two organizations; it may be one. */
  admin: string
  demoAdmin: string
}

/** What holds on the connection of a pair until somebody says otherwise. */
export const pairTerms = { terms: 'Net 30', currency: 'USD' } as const

export interface PracticePair {
  id: string
  organization: string
  demo: string
  connection: string
}

export const makePair = async (tx: Session, wanted: WantedPair): Promise<PracticePair> => {
  const { owner, names, verified, admin, demoAdmin } = wanted
  const common = { mode: 'test' as const, verified, currency: 'USD' }
  const organization = await createOrganization(tx, {
    ...common,
    name: names.organization,
    ...(owner.isLive ? { sandboxOf: owner.id } : {}),
  })
  const demo = await createOrganization(tx, { ...common, name: names.demo, isDemo: true })
  await addMember(tx, { user: admin, organization, role: 'owner' })
  await addMember(tx, { user: demoAdmin, organization: demo, role: 'owner' })
  const connection = await connect(tx, {
    a: organization,
    b: demo,
    mode: 'test',
    invitedBy: organization,
    ...pairTerms,
    status: 'active',
  })
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  await insertSandbox(tx, {
    id,
    owner_id: owner.id,
    mode: 'test',
    organization_id: organization,
    demo_organization_id: demo,
    connection_id: connection,
    created_at: now,
  })
  return { id, organization, demo, connection }
}

/** A key with every scope, as a practice organization has one from the start. */
export const fullKey = async (tx: Session, organization: string, admin: string): Promise<string> =>
  (
    await mint(tx, {
      organization,
      mode: 'test',
      createdBy: admin,
      name: 'Provisioned key',
      scopes: scopeNames,
      allowedCidrs: [],
      maxPerPayment: null,
      dailyVolume: null,
      expiresAt: null,
    })
  ).secret

export interface Asking {
  organization: { id: string; mode: 'live' | 'test'; sandboxOf: string | null }
  user: string
}

/** Whose sandboxes an organization sees and adds to: its live owner's, or its own. */
export const ownerFor = async (
  session: Session,
  { id, mode, sandboxOf }: Asking['organization'],
): Promise<{ id: string; isLive: boolean }> => {
  if (mode === 'live') return { id, isLive: true }
  if (sandboxOf !== null) return { id: sandboxOf, isLive: true }
  return { id: (await ownerOfSandbox(session, id)) ?? id, isLive: false }
}

export interface NewSandbox {
  pair: PracticePair
  apiKey: string
  demoApiKey: string
  token: string
  demoToken: string
}

/** One more pair for the caller, who owns both of its organizations and can switch to them. */
export const addSandbox = async (
  tx: Session,
  { organization, user }: Asking,
  { name, verified }: { name: string; verified: boolean },
): Promise<NewSandbox> => {
  const owner = await ownerFor(tx, organization)
  // Locked, so that two at once cannot both be the last.
  await organizationForUpdate(tx, owner.id)
  const used = await countSandboxes(tx, owner.id)
  const limit = limits.sandboxesMax
  if (used >= limit) {
    throw refuse('sandbox_quota', `There are ${used} sandboxes already, of ${limit} at most.`, {
      quota: 'sandboxes',
      limit,
      used,
      resets_at: null,
    })
  }

  // From here the change must succeed.
  const names = { organization: name, demo: 'Demo Counterparty' }
  const pair = await makePair(tx, { owner, names, verified, admin: user, demoAdmin: user })
  const tokenFor = async (id: string) =>
    (await openSession(tx, { user, organization: id, mode: 'test' })).token
  return {
    pair,
    apiKey: await fullKey(tx, pair.organization, user),
    demoApiKey: await fullKey(tx, pair.demo, user),
    token: await tokenFor(pair.organization),
    demoToken: await tokenFor(pair.demo),
  }
}
