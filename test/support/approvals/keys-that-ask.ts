/** Members who approve, and keys and rules that ask them. No helper approves for a person. */
import assert from 'node:assert/strict'
import { openSession } from '../../../src/changes/identity/new-session.ts'
import type { ApprovalSetting, NewKey } from '../../../src/changes/identity/keys.ts'
import { addMembership, createUser } from '../../../src/changes/identity/users.ts'
import type { Role } from '../../../src/contract/roles.ts'
import type { Scope } from '../../../src/contract/scopes.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { callApi, freshIdempotencyKey } from '../api-client.ts'
import { inTurn } from '../database/in-turn.ts'
import { type TestOrganization, aKey } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

/** A person in this role, with a session. */
export const aMember = async (
  { database }: Pick<TestService, 'database'>,
  { uuid, mode }: Pick<TestOrganization, 'uuid' | 'mode'>,
  role: Role,
) => {
  const email = `${freshIdempotencyKey()}@example.com`
  const userId = await createUser(database, { email, name: 'Grace', passwordHash: null })
  await inTurn(database, (tx) => addMembership(tx, { user: userId, organization: uuid, role }))
  const { token } = await openSession(database, { user: userId, organization: uuid, mode })
  return { userId, id: encodeId('usr', userId), session: token }
}

export const always: ApprovalSetting = { requires_approval: true, requires_approval_above: null }

const scopes: Scope[] = ['documents:read', 'documents:write', 'payments:read', 'payments:write']

/** The secret of a key, made by a member of its own, that has to ask. */
export const aKeyThatAsks = async (
  running: Pick<TestService, 'database'>,
  organization: TestOrganization,
  approval: ApprovalSetting = always,
  limits: Partial<Pick<NewKey, 'maxPerPayment' | 'dailyVolume'>> = {},
): Promise<string> => {
  const { userId } = await aMember(running, organization, 'admin')
  return (await aKey(running, { ...organization, userId }, scopes, { approval, ...limits })).secret
}

/** A rule that lets every payment of a person wait. */
export const aRule = async (running: TestService, session: string): Promise<void> => {
  const body = { name: 'Everything', when: { operation: 'documents.pay' } }
  const reply = await callApi(running, 'POST', '/v1/approval_rules', { key: session, body })
  assert.equal(reply.status, 201, reply.text)
}
