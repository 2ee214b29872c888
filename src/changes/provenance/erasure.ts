/**
 * Erasure of personal content: free texts leave the record, and the body and salt of every event
 * that held them are deleted. The chain and every proof still verify: what is left of an erased
 * body is its commitment, which without the salt says nothing. `content.erased` tells both sides
 * that it happened, and begins the replay anew with what is left.
 */
import { randomPart } from '../../database/new-ids.ts'
import { type Content, readContent } from '../../core/documents/content.ts'
import { type DocumentTypeName, type Side, documentTypes } from '../../contract/document-types.ts'
import { encodeId } from '../../core/ids.ts'
import {
  type Slots,
  historyEvent,
  rowGuard,
  stateDigest,
} from '../../core/provenance/history-event.ts'
import { entryOf, findableWords } from '../../core/documents/search-terms.ts'
import {
  type CheckedEvent,
  checkDocument,
  checkedHistory,
  slotNames,
} from '../../core/provenance/record-verification.ts'
import { sharedState, writtenContent } from '../../core/provenance/shared-state.ts'
import type { Session } from '../../database/sql.ts'
import * as store from '../../store/provenance/erasure.ts'
import { clock } from '../../store/provenance/transparency-log.ts'
import { storedRecord } from '../../store/provenance/stored-record.ts'
import type { Rows } from '../../database/rows.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'

type Document = Rows['documents']
type Slot = (typeof slotNames)[number]

const erasedText = '[erased]'

/** The content without what people wrote freely; amounts, dates and parties stay. */
const withoutTexts = (content: Content): Content => ({
  ...content,
  notes: null,
  external_refs: {},
  line_items: content.line_items.map((line) => ({ ...line, description: erasedText, sku: null })),
})

const withoutNote = (dispute: string | null): string | null =>
  dispute === null ? null : JSON.stringify({ ...(JSON.parse(dispute) as object), note: null })

/** What remains to be told of the bodies of a slot that are deleted: payments and links stay. */
const remainsOf = (events: readonly CheckedEvent[], slot: Slot) => {
  const bodies = events.flatMap(({ header, open }) => {
    const body = open[slot]?.body
    // What an erasure left holds no texts, and vouches for the bodies that are gone.
    const isRemains = body != null && 'erased' in body
    const holds =
      body != null && !isRemains && ['set', 'state', 'note'].some((field) => field in body)
    return holds ? [{ seq: header.seq, body }] : []
  })
  const erased = bodies.map(({ seq, body }) => ({
    seq,
    ...(body.type === undefined ? {} : { type: body.type }),
    ...(typeof body.set?.['status'] === 'string' ? { status: body.set['status'] } : {}),
    ...(body['payment'] === undefined ? {} : { payment: body['payment'] }),
  }))
  const links = bodies.flatMap(({ body }) => [body['links'] ?? [], body['link'] ?? []].flat())
  return { erased, ...(links.length === 0 ? {} : { links }) }
}

const erasureSlots = (
  document: Document,
  content: Content,
  events: readonly CheckedEvent[],
): Slots => {
  const type = documentTypes[document.type as DocumentTypeName]
  const own = (side: Side) => ({
    number: document[`${side}_number`],
    direction: side === 'issuer' ? 'issued' : 'received',
    label: type[side].label,
  })
  const told = { type: 'content.erased', actor: { kind: 'system' } }
  if (document.issued_at === null) {
    const { connection_id, document_type, origin } = sharedState(document)
    const draft = { ...writtenContent(content), connection_id, document_type, origin }
    const set = { ...draft, ...own('issuer'), status: document.status, metadata: [] }
    return {
      shared: null,
      issuer: { ...told, set, ...remainsOf(events, 'issuer') },
      counterparty: null,
    }
  }
  const state = sharedState(document)
  return {
    shared: { ...told, set: state, state: stateDigest(state), ...remainsOf(events, 'shared') },
    issuer: { set: { ...own('issuer'), metadata: [] }, ...remainsOf(events, 'issuer') },
    counterparty: { set: own('counterparty'), ...remainsOf(events, 'counterparty') },
  }
}

/**
 * Erases in the caller's transaction; answers how many bodies went, if there is a document. Where
 * none is left to go, nothing changes.
 */
export const eraseContent = async (
  tx: Session,
  id: string,
  macKey: Buffer,
): Promise<number | undefined> => {
  await store.lockForErasure(tx, id)
  const stored = await storedRecord(tx, id, '')
  const { document, events: rows } = stored
  if (document === undefined) return undefined
  const history = checkedHistory(document, rows, macKey)
  checkDocument(document, stored, history, macKey)

  // From here the change must succeed.
  const content = withoutTexts(readContent(document.content))
  const now = await clock(tx)
  const at = now > document.updated_at ? now : document.updated_at
  const after: Document = {
    ...document,
    content: JSON.stringify(content),
    metadata: '{}',
    dispute: withoutNote(document.dispute),
    revision: document.revision + 1,
    updated_at: at,
  }
  const previous = { seq: document.head_seq, hash: document.head_hash }
  const slots = erasureSlots(after, content, history.events)
  const event = historyEvent(history.stream, previous, at, slots, randomPart(48), macKey)
  const erased = await deleteBodies(tx, id, slots)
  // Erased before, and nothing came since: its history has no more to tell.
  if (erased === 0) return 0
  await insertRows(tx, 'prov_event', [{ document_id: id, ...event }])
  const { seq, hash } = event
  await insertRows(tx, 'log_queue', [{ log_id: document.mode, document_id: id, seq, hash }])
  const headed = { ...after, head_seq: seq, head_hash: hash }
  const saved = { ...headed, guard: rowGuard(headed, macKey) }
  const changed = [
    'content',
    'metadata',
    'dispute',
    'revision',
    'updated_at',
    'head_seq',
    'head_hash',
  ]
  await updateRows(tx, 'documents', ['id'], [...changed, 'guard'], [saved])
  await spread(tx, saved)
  return erased
}

const deleteBodies = async (tx: Session, id: string, slots: Slots): Promise<number> => {
  let count = 0
  for (const slot of slotNames) {
    const { erased = [] } = (slots[slot] ?? {}) as { erased?: { seq: number }[] }
    for (const { seq } of erased) {
      count += await store.deleteBody(tx, { id, seq, slot })
    }
  }
  return count
}

/** A document in a frozen event, as far as texts are concerned. */
type Shown = Content & { metadata?: object; dispute: object | null }

/**
 * The copies: list rows learn of it, words are found no more, frozen events lose their texts, and
 * so does what is delivered again.
 */
const spread = async (tx: Session, document: Document): Promise<void> => {
  await store.markChanged(tx, document)
  for (const side of ['issuer', 'counterparty'] as const) {
    const created = document[`${side}_position`]
    if (created === null) continue
    const { issuer_number, content } = document
    const organization = document[`${side}_id`]
    const number = document[`${side}_number`] ?? issuer_number
    const words = findableWords({ side, number, issuer_number, content })
    const entry = entryOf(organization, created, words)
    await store.replaceWords(tx, { organization, created, words: entry })
  }
  await store.deleteKeptAnswers(tx, encodeId('doc', document.id))
  await store.deleteAnswersOfEndpoints(tx, document.id)
  for (const event of await store.frozenEvents(tx, document.id)) {
    const envelope = JSON.parse(event.payload) as { data: { document?: Shown } }
    const shown = envelope.data.document
    if (shown === undefined) continue
    const { metadata, dispute, ...rest } = shown
    envelope.data.document = {
      ...withoutTexts(rest),
      dispute: dispute === null ? null : { ...dispute, note: null },
      ...(metadata === undefined ? {} : { metadata: {} }),
    }
    await store.rewriteEvent(tx, { ...event, payload: JSON.stringify(envelope) })
  }
}
