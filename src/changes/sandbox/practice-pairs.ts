/**
 * Practice pairs (domain 6): a sandbox organization, a demo counterparty and the connection between
 * them. The pair of the first start and those requested later are created alike.
 */
import type { HeldQuotas } from '../../contract/quotas.ts'
import { defaultScopes } from '../../contract/scopes.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { organizationForUpdate } from '../../store/identity/access-versions.ts'
import * as store from '../../store/sandbox/practice-pairs.ts'
import { updateSetup } from '../finance/setup.ts'
import { createConnection } from '../identity/connections.ts'
import { createKey } from '../identity/keys.ts'
import { createOrganization } from '../identity/organizations.ts'
import { openSession } from '../identity/new-session.ts'
import { addMembership } from '../identity/users.ts'
import { checkRowQuota } from '../quotas.ts'

export interface NewPair {
  /** A live organization, or a sandbox without a live owner. */
  owner: { id: string; isLive: boolean }
  names: { organization: string; demo: string }
  verified: boolean
  /** The users who own the two organizations; they may be the same. */
  admin: string
  demoAdmin: string
}

/** The initial terms and currency of a pair's connection. */
export const pairDefaults = { terms: 'Net 30', currency: 'USD' } as const

export interface PracticePair {
  id: string
  organization: string
  demo: string
  connection: string
}

export const createPair = async (tx: Queryable, input: NewPair): Promise<PracticePair> => {
  const { owner, names, verified, admin, demoAdmin } = input
  const common = { mode: 'test' as const, verified, currency: 'USD' }
  const organization = await createOrganization(tx, {
    ...common,
    name: names.organization,
    ...(owner.isLive ? { sandboxOf: owner.id } : {}),
  })
  const demo = await createOrganization(tx, { ...common, name: names.demo, isDemo: true })
  await addMembership(tx, { user: admin, organization, role: 'owner' })
  await addMembership(tx, { user: demoAdmin, organization: demo, role: 'owner' })
  const connection = await createConnection(tx, {
    a: organization,
    b: demo,
    mode: 'test',
    invitedBy: organization,
    ...pairDefaults,
    status: 'active',
  })
  await setUpPracticeFinance(tx, [organization, demo])
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  await store.insertSandbox(tx, {
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

/** Both sides can lend and borrow. */
export const setUpPracticeFinance = async (
  tx: Queryable,
  organizations: readonly string[],
): Promise<void> => {
  const lender = { enabled: true, max_principal: null }
  for (const id of organizations) {
    await updateSetup(tx, { id, mode: 'test' }, { borrower: { enabled: true }, lender })
  }
}

/** Creates the key with the scopes that each practice organization starts with. */
export const createFullAccessKey = async (
  tx: Queryable,
  organization: string,
  admin: string,
): Promise<string> =>
  (
    await createKey(tx, {
      organization,
      mode: 'test',
      createdBy: admin,
      name: 'Provisioned key',
      scopes: defaultScopes,
      allowedCidrs: [],
      maxPerPayment: null,
      dailyVolume: null,
      signingKey: null,
      expiresAt: null,
    })
  ).secret

export interface SandboxRequester {
  organization: { id: string; mode: 'live' | 'test'; sandboxOf: string | null }
  user: string
}

/** The owner of the sandboxes that an organization sees and adds to: its live owner or itself. */
export const sandboxOwnerOf = async (
  session: Queryable,
  { id, mode, sandboxOf }: SandboxRequester['organization'],
): Promise<{ id: string; isLive: boolean }> => {
  if (mode === 'live') return { id, isLive: true }
  if (sandboxOf !== null) return { id: sandboxOf, isLive: true }
  return { id: (await store.ownerOfSandbox(session, id)) ?? id, isLive: false }
}

export interface CreatedSandbox {
  pair: PracticePair
  apiKey: string
  demoApiKey: string
  token: string
  demoToken: string
}

/**
 * Creates another pair for the caller, who owns both organizations and can switch to them. What it
 * returns is for programs, so its sessions stay where they are, whatever session has asked
 * (docs/decisions/0120).
 */
export const createSandbox = async (
  tx: Queryable,
  { organization, user }: SandboxRequester,
  { name, verified, held }: { name: string; verified: boolean; held: HeldQuotas },
): Promise<CreatedSandbox> => {
  const owner = await sandboxOwnerOf(tx, organization)
  // Locked, so two concurrent requests cannot both take the last place.
  await organizationForUpdate(tx, owner.id)
  await checkRowQuota(tx, held, { quota: 'sandboxes', holder: owner.id })

  // From here the change must succeed.
  const names = { organization: name, demo: 'Demo Counterparty' }
  const pair = await createPair(tx, { owner, names, verified, admin: user, demoAdmin: user })
  const tokenFor = async (id: string) =>
    (await openSession(tx, { user, organization: id, mode: 'test', client: 'device' })).token
  return {
    pair,
    apiKey: await createFullAccessKey(tx, pair.organization, user),
    demoApiKey: await createFullAccessKey(tx, pair.demo, user),
    token: await tokenFor(pair.organization),
    demoToken: await tokenFor(pair.demo),
  }
}
