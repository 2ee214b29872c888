/** Links between documents, written into both histories as issuing one writes them. */
import { appendHistory } from '../../../src/changes/history-and-events.ts'
import type { Caller } from '../../../src/changes/acting-caller.ts'
import { streamOf } from '../../../src/core/provenance/history-event.ts'
import { decodeId, encodeId } from '../../../src/core/ids.ts'
import type { World } from '../../../src/engine/unit-of-work.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { sql } from '../../../src/database/sql.ts'
import type { Rows } from '../../../src/database/rows.ts'
import type { Running } from '../service.ts'

const caller: Caller = {
  actor: { kind: 'system' },
  canPay: false,
  grantedScopes: [],
  requestId: newId(),
  idempotencyKey: null,
  dryRun: false,
  ifMatch: undefined,
}

type Slot = 'shared' | 'issuer' | 'counterparty'

export interface Linking {
  from: string
  to: string
  relation: string
  /** In which slot of each history the link stands. */
  slots?: { from?: Slot; to?: Slot }
}

const peerOf = (document: Rows['documents']) => ({
  stream: streamOf(document.stream_salt, encodeId('doc', document.id)),
  seq: document.head_seq,
  hash: document.head_hash.toString('hex'),
})

/** `to` came of `from`: each history gains an event that pins the other. */
export const link = async (
  { service, database }: Running,
  { from, to, relation, slots = {} }: Linking,
): Promise<void> => {
  const macKey = service.context.keyring.history
  const [fromId, toId] = [decodeId('doc', from)!, decodeId('doc', to)!]
  await database.run(sql`
    insert into document_links (from_id, to_id, rel) values (${toId}, ${fromId}, ${relation})`)
  const tell = (world: World, id: string, slot: Slot, link: object): Rows['documents'] => {
    const before = world.get('documents', id)!
    const at = world.now > before.updated_at ? world.now : before.updated_at
    const after = { ...before, revision: before.revision + 1, updated_at: at }
    const silent = { shared: null, issuer: null, counterparty: null }
    const body = { type: 'link.added', actor: { kind: 'system' }, link }
    const told = appendHistory({ world, caller, macKey, sandboxStepMs: 0, quotas: null }, after, {
      ...silent,
      [slot]: body,
    })
    const saved = { ...after, ...told }
    world.save('documents', saved)
    for (const side of ['issuer', 'counterparty'] as const) {
      const created = saved[`${side}_position`]
      if (created === null) continue
      const { status, document_date, updated_at } = saved
      const organization_id = saved[`${side}_id`]
      world.changeView({ organization_id, created, status, document_date, updated_at })
    }
    return saved
  }
  const outcome = await service.context.engine.perform({
    organization: newId(),
    requestId: newId(),
    dryRun: false,
    bytes: 0,
    write: {
      kind: 'decided',
      needs: { documents: [fromId, toId] },
      decide: (world) => {
        const source = world.get('documents', fromId)!
        const child = tell(world, toId, slots.to ?? 'shared', {
          ...{ relation, direction: 'from', peer: peerOf(source) },
        })
        tell(world, fromId, slots.from ?? 'shared', {
          ...{ relation, direction: 'to', peer: peerOf(child) },
        })
        return { status: 200, body: '{}' }
      },
    },
  })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
}
