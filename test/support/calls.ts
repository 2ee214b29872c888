/** One example call of every operation: what the coverage test knows about each. */
import { addMember, createUser, openSession } from '../../src/changes/organizations.ts'
import type { Operation } from '../../src/operations/operation.ts'
import {
  type Acting,
  type Pair,
  type Running,
  aDraft,
  aKey,
  aLine,
  anInvoice,
  ask,
  freshKey,
} from './service.ts'

export interface ExampleCall {
  path: string
  body?: unknown
  /**
   * What another organization gets. `missing`: 404, for the call names a record of its owner.
   * Otherwise its own view, in which none of these texts of the owner appears.
   */
  others: 'missing' | { hides: readonly string[] }
}

type Example = (running: Running, pair: Pair) => Promise<ExampleCall>

const named = async (path: Promise<string>, body?: unknown): Promise<ExampleCall> => ({
  path: await path,
  others: 'missing',
  ...(body === undefined ? {} : { body }),
})

const draftPath: (rest?: string) => (running: Running, pair: Pair) => Promise<string> =
  (rest = '') =>
  async (running, pair) =>
    `/v1/documents/${(await aDraft(running, pair)).id}${rest}`

const keyPath =
  (rest = '') =>
  async (running: Running, { issuer }: Pair): Promise<string> =>
    `/v1/keys/${(await aKey(running, issuer, ['documents:read'])).keyId}${rest}`

const own = (path: string, hides: readonly string[], body?: unknown): ExampleCall => ({
  path,
  others: { hides },
  ...(body === undefined ? {} : { body }),
})

export const exampleCalls: Readonly<Record<string, Example>> = {
  'documents.list': async (running, pair) =>
    own('/v1/documents', [(await anInvoice(running, pair)).id]),
  'documents.get': (running, pair) => named(draftPath()(running, pair)),
  'documents.create': (_, { connection }) => {
    const body = { connection_id: connection, document_type: 'invoice', line_items: [aLine] }
    return named(Promise.resolve('/v1/documents'), body)
  },
  'documents.update': (running, pair) => named(draftPath()(running, pair), { notes: 'Edited' }),
  'documents.issue': (running, pair) => named(draftPath('/issue')(running, pair), {}),
  'documents.transition': (running, pair) =>
    named(draftPath('/transition')(running, pair), { to: 'cancelled' }),
  'documents.transitions': (running, pair) => named(draftPath('/transitions')(running, pair)),
  'documents.convert': async (running, pair) => {
    const { id } = await anInvoice(running, pair)
    const body = { document_type: 'credit_note' }
    return named(Promise.resolve(`/v1/documents/${id}/convert`), body)
  },
  'keys.list': async (_, { issuer }) => own('/v1/keys', [issuer.keyId]),
  'keys.get': (running, pair) => named(keyPath()(running, pair)),
  'keys.create': async (_, { issuer }) =>
    own('/v1/keys', [issuer.keyId], { name: 'New', scopes: ['documents:read'] }),
  'keys.rotate': (running, pair) => named(keyPath('/rotate')(running, pair), {}),
  'keys.revoke': (running, pair) => named(keyPath('/revoke')(running, pair), {}),
  'me.get': async (_, { issuer }) => own('/v1/me', [issuer.id, issuer.name, issuer.keyId]),
  'idempotency.get': async (running, pair) => {
    const key = freshKey()
    const body = { connection_id: pair.connection, document_type: 'invoice', line_items: [aLine] }
    const headers = { 'idempotency-key': key }
    const { headers: answered, body: document } = await ask(running, 'POST', '/v1/documents', {
      key: pair.issuer.key,
      body,
      headers,
    })
    return own(`/v1/idempotency/${key}`, [document.id, answered.get('request-id')!])
  },
  'enablement.get': async () => own('/v1/enablement', []),
  'specification.get': async () => own('/v1/openapi.json', []),
}

/** The credential that may make the call: a key where a key may. */
export const credentialFor = ({ allowed }: Operation, acting: Acting): string =>
  allowed === 'admin' || allowed === 'admin or scoped' ? acting.session : acting.key

/** A session of somebody who is only a member of the organization. */
export const aMemberSession = async (
  { database }: Pick<Running, 'database'>,
  { uuid, mode }: Pick<Acting, 'uuid' | 'mode'>,
): Promise<string> => {
  const email = `${freshKey()}@example.com`
  const user = await createUser(database, { email, name: 'Member', passwordHash: null })
  await addMember(database, { user, organization: uuid, role: 'member' })
  return (await openSession(database, { user, organization: uuid, mode })).token
}
