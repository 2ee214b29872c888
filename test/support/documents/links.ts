/** Links documents in both histories, as issuing a document does. */
import type { ActingCaller } from '../../../src/changes/change-context.ts'
import { streamOf } from '../../../src/core/provenance/history-event.ts'
import { decodeId, encodeId } from '../../../src/core/ids.ts'
import type { UnitOfWork } from '../../../src/engine/unit-of-work.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { sql } from '../../../src/database/sql.ts'
import type { Rows } from '../../../src/database/rows.ts'
import type { TestService } from '../test-service.ts'
import { appendHistory } from '../../../src/changes/history.ts'

const systemCaller: ActingCaller = {
  actor: { kind: 'system' },
  canPay: false,
  grantedScopes: [],
  requestId: newId(),
  idempotencyKey: null,
  dryRun: false,
  ifMatch: undefined,
  signature: null,
}

type Slot = 'shared' | 'issuer' | 'counterparty'

export interface LinkOptions {
  from: string
  to: string
  relation: string
  /** The slot of each history that records the link. */
  slots?: { from?: Slot; to?: Slot }
}

const historyHeadOf = (document: Rows['documents']) => ({
  stream: streamOf(document.stream_salt, encodeId('doc', document.id)),
  seq: document.head_seq,
  hash: document.head_hash.toString('hex'),
})

/** Links `to` as derived from `from`: each history gains an event with the other's head. */
export const linkDocuments = async (
  { service, database }: TestService,
  { from, to, relation, slots = {} }: LinkOptions,
): Promise<void> => {
  const historyKeys = service.context.keyring.history
  const [fromId, toId] = [decodeId('doc', from)!, decodeId('doc', to)!]
  await database.run(sql`
    insert into document_links (from_id, to_id, rel) values (${toId}, ${fromId}, ${relation})`)
  const appendLink = (
    unit: UnitOfWork,
    id: string,
    slot: Slot,
    link: object,
  ): Rows['documents'] => {
    const before = unit.get('documents', id)!
    const at = unit.now > before.updated_at ? unit.now : before.updated_at
    const after = { ...before, revision: before.revision + 1, updated_at: at }
    const noSlots = { shared: null, issuer: null, counterparty: null }
    const body = { type: 'link.added', actor: { kind: 'system' }, link }
    const head = appendHistory(
      {
        unit,
        caller: systemCaller,
        approvable: null,
        historyKeys,
        isWithoutPayments: false,
        isWithoutProcessor: true,
        sandboxStepMs: 0,
        quotas: {},
      },
      after,
      { ...noSlots, [slot]: body },
    )
    const saved = { ...after, ...head }
    unit.save('documents', saved)
    for (const side of ['issuer', 'counterparty'] as const) {
      const position = saved[`${side}_position`]
      if (position === null) continue
      const { status, document_date, updated_at, currency, due_date } = saved
      const organization_id = saved[`${side}_id`]
      const dates = { document_date, updated_at, due_date }
      unit.updateView({ organization_id, position, status, ...dates, currency })
    }
    return saved
  }
  const outcome = await service.context.engine.perform({
    organization: newId(),
    requestId: newId(),
    dryRun: false,
    inputBytes: 0,
    write: {
      kind: 'batched',
      rowsToLock: { documents: [fromId, toId] },
      decide: (unit) => {
        const source = unit.get('documents', fromId)!
        const child = appendLink(unit, toId, slots.to ?? 'shared', {
          relation,
          direction: 'from',
          peer: historyHeadOf(source),
        })
        appendLink(unit, fromId, slots.from ?? 'shared', {
          relation,
          direction: 'to',
          peer: historyHeadOf(child),
        })
        return { status: 200, body: '{}' }
      },
    },
  })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
}
