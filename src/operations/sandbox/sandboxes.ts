/** Additional practice pairs; the first start of the service creates the first one. */
import type { Call } from '../../context.ts'
import {
  MintedSandbox,
  type Sandbox,
  SandboxCreate,
  SandboxPage,
  SandboxFilters,
} from '../../contract/shapes/sandboxes.ts'
import { seedDocuments } from '../../changes/sandbox/seed-documents.ts'
import {
  type SandboxRequester,
  createSandbox,
  sandboxOwnerOf,
} from '../../changes/sandbox/practice-pairs.ts'
import { quotasHeldBy } from '../../changes/quotas.ts'
import { encodeId } from '../../core/ids.ts'
import {
  type SandboxView,
  pairsWithoutDocuments,
  sandboxById,
  sandboxesOf,
} from '../../store/sandbox/practice-pairs.ts'
import { openPage } from '../paging.ts'
import { operation } from '../operation.ts'

const toSandbox = (row: SandboxView): Sandbox => ({
  sandbox_id: encodeId('sbx', row.id),
  organization: {
    id: encodeId('org', row.organization_id),
    name: row.name,
    verified: row.is_verified,
  },
  demo_organization: {
    id: encodeId('org', row.demo_organization_id),
    name: row.demo_name,
    verified: row.demo_is_verified,
  },
  connection_id: encodeId('con', row.connection_id),
  created_at: row.created_at,
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
  description:
    'Returns the practice pairs of the calling organization, or of the live organization that it belongs to.',
  since: '1.15.0',
  allowed: 'admin',
  query: SandboxFilters,
  response: SandboxPage,
  summaryFields: ['sandbox_id', 'organization', 'connection_id', 'created_at'],
  toolFields: ['sandbox_id', 'organization.name', 'connection_id'],
}).reads(async (call, { query }) => {
  const owner = await sandboxOwnerOf(call.read, call.organization)
  const page = openPage(call, 'sandboxes', query)
  const rows = await sandboxesOf(call.read, owner.id, page)
  return { body: page.of(rows, toSandbox, (row) => row.id) }
})

export const create = operation({
  id: 'sandboxes.create',
  method: 'POST',
  path: '/v1/sandboxes',
  summary: 'Create a practice pair',
  description:
    'Creates a sandbox organization, a demo counterparty, an active connection between them and the first documents from the counterparty, like the pair of the first start. The calling user owns both organizations. The owner of the pairs has a quota of them.',
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
    const held = quotasHeldBy(call)
    const created = await createSandbox(tx, requesterOf(call), { name, verified, held })
    const sandbox = toSandbox((await sandboxById(tx, created.pair.id))!)
    const secret = (value: string) => (call.dryRun ? null : value)
    return {
      body: {
        ...sandbox,
        api_key: secret(created.apiKey),
        demo_api_key: secret(created.demoApiKey),
        admin_session_token: secret(created.token),
        demo_admin_session_token: secret(created.demoToken),
      },
      resourceId: sandbox.sandbox_id,
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
