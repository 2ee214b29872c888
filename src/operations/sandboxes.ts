/** Practice pairs beside the one of the first start. */
import type { Call } from '../context.ts'
import { limits } from '../contract/limits.ts'
import {
  MintedSandbox,
  type Sandbox,
  SandboxCreate,
  SandboxPage,
  SandboxFilters,
} from '../contract/shapes/sandboxes.ts'
import { seedDocuments } from '../changes/sandbox/seed-documents.ts'
import {
  type SandboxRequester,
  createSandbox,
  sandboxOwnerOf,
} from '../changes/sandbox/practice-pairs.ts'
import { encodeId } from '../core/ids.ts'
import {
  type SandboxView,
  pairsWithoutDocuments,
  sandboxById,
  sandboxesOf,
} from '../store/sandbox/practice-pairs.ts'
import { cursorsOf } from './paging.ts'
import { operation } from './operation.ts'

const view = (seen: SandboxView): Sandbox => ({
  sandbox_id: encodeId('sbx', seen.id),
  organization: {
    id: encodeId('org', seen.organization_id),
    name: seen.name,
    verified: seen.is_verified,
  },
  demo_organization: {
    id: encodeId('org', seen.demo_organization_id),
    name: seen.demo_name,
    verified: seen.demo_is_verified,
  },
  connection_id: encodeId('con', seen.connection_id),
  created_at: seen.created_at,
})

const requesterOf = ({ organization, credential }: Call): SandboxRequester => ({
  organization,
  user: credential.user!.id,
})

export const list = operation({
  id: 'sandboxes.list',
  method: 'GET',
  path: '/v1/sandboxes',
  summary: 'List practice pairs, newest first',
  description: 'Those of the calling organization, or of the live one that it practises for.',
  since: '1.15.0',
  allowed: 'admin',
  query: SandboxFilters,
  response: SandboxPage,
}).reads(async (call, { query }) => {
  const owner = await sandboxOwnerOf(call.read, call.organization)
  const { cursor, limit = limits.pageDefault } = query
  const cursors = cursorsOf(call, 'sandboxes', {})
  const before = cursors.open(cursor)
  const rows = await sandboxesOf(call.read, owner.id, { before, limit: limit + 1 })
  return { body: cursors.page(rows, limit, view, (row) => row.id) }
})

export const create = operation({
  id: 'sandboxes.create',
  method: 'POST',
  path: '/v1/sandboxes',
  summary: 'Provision one more practice pair',
  description: `A sandbox organization, a demo counterparty, an active connection between them, and what the counterparty has sent already: like the pair of the first start. The calling user owns both. At most ${limits.sandboxesMax} for one owner.`,
  since: '1.15.0',
  allowed: 'admin',
  body: SandboxCreate,
  response: MintedSandbox,
  status: 201,
  errors: ['sandbox_quota'],
  showsSecret: true,
}).transacts(
  async (tx, call, { body }) => {
    const { name = 'Practice Organization', verified = true } = body
    const made = await createSandbox(tx, requesterOf(call), { name, verified })
    const shown = view((await sandboxById(tx, made.pair.id))!)
    const secret = (value: string) => (call.dryRun ? null : value)
    return {
      body: {
        ...shown,
        api_key: secret(made.apiKey),
        demo_api_key: secret(made.demoApiKey),
        admin_session_token: secret(made.token),
        demo_admin_session_token: secret(made.demoToken),
      },
      resourceId: shown.sandbox_id,
    }
  },
  {
    afterCommit: async (call) => {
      const owner = await sandboxOwnerOf(call.read, call.organization)
      const pairs = await pairsWithoutDocuments(call.read, { owner: owner.id })
      await seedDocuments(call.context.performAsSystem, pairs)
    },
  },
)
