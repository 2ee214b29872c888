/**
 * Batched writes on the real schema without the rules of the service, for tests of the engine. Each
 * write increments `revision`, and an edit also increments `total`, so a lost update shows.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { draftDefaults } from '../../../src/changes/documents/create-draft.ts'
import {
  changeTime,
  nextDocumentNumber,
  nextFeedPosition,
} from '../../../src/changes/organization-counters.ts'
import { notFound, refuse } from '../../../src/contract/errors.ts'
import { newId } from '../../../src/database/new-ids.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { idempotencyOf } from '../../../src/engine/idempotency.ts'
import type { UnitOfWork } from '../../../src/engine/unit-of-work.ts'
import type {
  OperationResponse,
  WriteOutcome,
  WriteRequest,
} from '../../../src/engine/write-request.ts'
import type { RowsToLock } from '../../../src/engine/rows-to-lock.ts'
import type { EngineFixture } from './engine-fixture.ts'

type Document = Rows['documents']

export interface ExampleWriteOptions {
  organization: string
  needs: RowsToLock
  decide(unit: UnitOfWork): OperationResponse
  /** Null = no Idempotency-Key; absent = a fresh one. */
  key?: string | null
  dryRun?: boolean
  bytes?: number
}

export const exampleWrite = (options: ExampleWriteOptions): WriteRequest => {
  const { organization, needs: rowsToLock, decide, key = `key-${randomUUID()}` } = options
  const request = { method: 'POST', path: '/example', body: {} }
  return {
    organization,
    requestId: newId(),
    dryRun: options.dryRun ?? false,
    inputBytes: options.bytes ?? 100,
    write: { kind: 'batched', rowsToLock, decide },
    ...(key === null ? {} : { idempotency: idempotencyOf(organization, key, request) }),
  }
}

type WriteOverrides = Partial<Omit<ExampleWriteOptions, 'organization' | 'needs'>>
type CreateOverrides = WriteOverrides & { change?: Partial<Document> }

/** Creates a draft; `change` overrides columns of its row, to make it invalid. */
export const createWrite = (
  { issuer, counterparty, connection }: EngineFixture,
  overrides: CreateOverrides = {},
): WriteRequest => {
  const decide = (unit: UnitOfWork): OperationResponse => {
    const at = changeTime(unit, [issuer])
    const number = nextDocumentNumber(unit, issuer, 'INV')
    const position = nextFeedPosition(unit, issuer)
    const document = {
      ...defaultDocument,
      id: unit.newId(),
      connection_id: connection,
      issuer_id: issuer,
      counterparty_id: counterparty,
      issuer_number: number,
      issuer_position: position,
      created_at: at,
      updated_at: at,
      ...overrides.change,
    }
    unit.insert('documents', document)
    insertView(unit, document, 'issuer')
    insertHistoryEvent(unit, document.id, 1)
    return resultOf(document)
  }
  return exampleWrite({
    organization: issuer,
    needs: { connections: [connection], counters: [issuer] },
    decide,
    ...overrides,
  })
}

const defaultDocument = {
  ...draftDefaults,
  seal: Buffer.alloc(0),
  mode: 'test',
  type: 'invoice',
  origin: 'api',
  currency: 'USD',
  document_date: '2026-11-21',
  document_date_given: false,
  valid_until_given: false,
  terms_form: 'none',
  due_date: null,
  valid_until: null,
  total: 0n,
  content: '{}',
  metadata: '{}',
  stream_salt: Buffer.alloc(16),
  head_seq: 1,
}

/** Adds 1 to the total of a draft. */
export const editWrite = (
  fixture: EngineFixture,
  id: string,
  overrides: WriteOverrides = {},
): WriteRequest =>
  draftWrite(fixture, id, overrides, (_unit, draft) => ({ total: draft.total + 1n }))

/** Issues a draft: it gets its counterparty number. */
export const issueWrite = (
  fixture: EngineFixture,
  id: string,
  overrides: WriteOverrides = {},
): WriteRequest =>
  draftWrite(fixture, id, overrides, (unit, draft) => {
    const counterparty_number = nextDocumentNumber(unit, fixture.counterparty, 'BILL')
    const counterparty_position = nextFeedPosition(unit, fixture.counterparty)
    const issued_at = changeTime(unit, [fixture.issuer, fixture.counterparty])
    const issued = { status: 'submitted', counterparty_number, counterparty_position, issued_at }
    insertView(unit, { ...draft, ...issued }, 'counterparty')
    return issued
  })

export const cancelWrite = (
  fixture: EngineFixture,
  id: string,
  overrides: WriteOverrides = {},
): WriteRequest => draftWrite(fixture, id, overrides, () => ({ status: 'cancelled' }))

type DraftChange = (unit: UnitOfWork, draft: Document) => Partial<Document>

const draftWrite = (
  { issuer }: EngineFixture,
  id: string,
  overrides: WriteOverrides,
  change: DraftChange,
): WriteRequest =>
  exampleWrite({
    organization: issuer,
    needs: { documents: [id] },
    decide: (unit) => {
      const draft = unit.get('documents', id)
      if (draft === undefined) throw notFound('document', id)
      if (draft.status !== 'draft') throw refuse('conflict', 'Not a draft.')
      const saved = {
        ...draft,
        ...change(unit, draft),
        revision: draft.revision + 1,
        head_seq: draft.head_seq + 1,
        updated_at: changeTime(unit, [issuer]),
      }
      unit.save('documents', saved)
      insertHistoryEvent(unit, id, saved.head_seq)
      return resultOf(saved)
    },
    ...overrides,
  })

const insertView = (
  unit: UnitOfWork,
  document: Omit<Document, 'a_id' | 'b_id' | 'lapses_after'>,
  side: 'issuer' | 'counterparty',
): void => {
  unit.insert('document_views', {
    organization_id: document[`${side}_id`],
    position: document[`${side}_position`]!,
    document_id: document.id,
    side,
    number: document[`${side}_number`]!,
    type: document.type,
    status: document.status,
    connection_id: document.connection_id,
    document_date: document.document_date,
    updated_at: document.updated_at,
    currency: document.currency,
    due_date: document.due_date,
  })
}

/** Writes one row per change: the primary key refuses a second row with the same number. */
const insertHistoryEvent = (unit: UnitOfWork, document_id: string, seq: number): void =>
  unit.insert('prov_event', {
    document_id,
    seq,
    at: unit.now,
    commitments: Buffer.alloc(16),
    hash: Buffer.alloc(32),
    mac: Buffer.alloc(32),
    salts: Buffer.alloc(16),
    shared_body: null,
    issuer_body: null,
    counterparty_body: null,
    finance_body: null,
  })

const resultOf = ({ id, revision }: Pick<Document, 'id' | 'revision'>): OperationResponse => ({
  status: 200,
  body: JSON.stringify({ id, revision }),
  resourceId: id,
})

/** Returns `done`, `replayed`, or the code of the refusal. */
export const outcomeCode = (outcome: WriteOutcome) =>
  outcome.kind === 'refused' ? outcome.refusal.code : outcome.kind

/** Returns the response body of a write that was done or replayed. */
export const bodyOf = (outcome: WriteOutcome): { id: string; revision: number } => {
  assert(outcome.kind !== 'refused', `the write was refused: ${outcomeCode(outcome)}`)
  return JSON.parse(outcome.response.body) as { id: string; revision: number }
}

/** Creates a draft and returns its id. */
export const insertDraft = async (fixture: EngineFixture): Promise<string> =>
  bodyOf(await fixture.engine.perform(createWrite(fixture))).id
