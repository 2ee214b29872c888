/**
 * Whether all that is stored about a document says the same, and what it then proves. Pure: the
 * rows come in as they were read, the checks are those of the published verifier.
 *
 * Covered: every column of prov_event, documents and document_views; the log is in logged.ts.
 */
import {
  Failure,
  type OpenEvent,
  type Opening,
  type Role,
  type Slot,
  type TextOf,
  checkChain,
  checkNothingWithheld,
  checkOpenings,
  replay,
  streamOf,
  writer,
} from '../../../verifier/verify-bundle.mjs'
import { parseContent } from '../documents/content.ts'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import { eventMac, rowMac } from './history-event.ts'
import { encodeId } from '../ids.ts'
import type { DocumentRecord } from '../documents/projection.ts'
import { majorText, minorText } from '../money.ts'
import { sharedState, canonicalContent, canonicalMetadata, canonicalText } from './shared-state.ts'

export const slotNames = ['shared', 'issuer', 'counterparty'] as const

/** The columns of a document that its history has to explain. */
export interface StoredDocument extends DocumentRecord {
  mode: string
  currency: string
  document_date: string
  valid_until: string | null
  stream_salt: Buffer
  integrity_hold: boolean
  row_mac: Buffer | null
  head_seq: number
  head_hash: Buffer
  document_date_given: boolean
  valid_until_given: boolean
  derived_count: number
  derived_amount: bigint
  terms_form: string
  issuer_events: number
  counterparty_events: number
  issuer_position: bigint
  counterparty_position: bigint | null
}

export interface StoredEvent {
  document_id: string
  seq: number
  header: string
  hash: Buffer
  mac: Buffer
  shared_body: string | null
  shared_salt: Buffer | null
  issuer_body: string | null
  issuer_salt: Buffer | null
  counterparty_body: string | null
  counterparty_salt: Buffer | null
}

export interface StoredView {
  organization_id: string
  position: bigint
  document_id: string
  side: string
  number: string
  type: string
  status: string
  connection_id: string
  document_date: string
  updated_at: string
}

/** The list rows of a document, and where the lists of its parties begin. */
export interface StoredLists {
  views: readonly StoredView[]
  begins: Readonly<Record<Role, bigint>>
}

export interface VerifiedEvent extends OpenEvent {
  hash: Buffer
}

export const failCheck = (
  check: string,
  message: string,
  place: { seq?: number; slot?: string } = {},
): never => {
  throw new Failure(check, message, place)
}

/** A stored event, its texts parsed; what is no text of ours fails. */
const parseEvent = (row: StoredEvent, macKey: Buffer, textOf: TextOf): OpenEvent => {
  const { seq } = row
  const header = parseStoredJson(row.header, { seq }) as OpenEvent['header']
  if (textOf(header) !== row.header) failCheck('CANONICAL', 'the header', { seq })
  if (!row.mac.equals(eventMac(row.hash, macKey)))
    failCheck('MAC', 'not written by this service', { seq })
  if (header.seq !== seq) failCheck('CHAIN', 'the row is not the event it says', { seq })
  const open: Partial<Record<Slot, Opening>> = {}
  for (const slot of slotNames) {
    const [body, salt] = [row[`${slot}_body`], row[`${slot}_salt`]]
    if (body === null && salt === null) continue
    if (body === null || salt === null)
      return failCheck('COMMITMENT', 'half an opening', { seq, slot })
    const value = parseStoredJson(body, { seq, slot }) as Opening['body']
    if (textOf(value) !== body) failCheck('CANONICAL', 'the body', { seq, slot })
    open[slot] = { salt: salt.toString('hex'), body: value }
  }
  return { header, open }
}

const parseStoredJson = (text: string, place: { seq: number; slot?: string }): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return failCheck('CANONICAL', 'not JSON', place)
  }
}

export interface VerifiedHistory {
  stream: string
  events: readonly VerifiedEvent[]
  /** What each side reads, by replay. */
  states: Readonly<Record<Role, Readonly<Record<string, unknown>>>>
  /** The canonical text of what is in the events. */
  textOf: TextOf
}

/** The events alone: canonical, committed, chained, marked, replayed for both sides. */
export const verifyHistory = (
  document: Pick<StoredDocument, 'id' | 'stream_salt'>,
  rows: readonly StoredEvent[],
  macKey: Buffer,
): VerifiedHistory => {
  if (rows.length === 0) failCheck('CHAIN', 'there are no events')
  const textOf = writer()
  const events = rows.map((row) => parseEvent(row, macKey, textOf))
  const stream = streamOf(document.stream_salt, encodeId('doc', document.id))
  const hashes = checkChain(
    stream,
    events.map(({ header }) => header),
    textOf,
  )
  const checked = events.map((event, i) => {
    const { hash, seq } = rows[i]!
    if (!hash.equals(hashes[i]!)) failCheck('CHAIN', 'the hash is another', { seq })
    checkOpenings(event, textOf)
    return { ...event, hash }
  })
  const roles = ['issuer', 'counterparty'] as const
  for (const role of roles) checkNothingWithheld(checked, role)
  const [issuer, counterparty] = roles.map((role) => replay(checked, role, textOf))
  return {
    stream,
    events: checked,
    states: { issuer: issuer!, counterparty: counterparty! },
    textOf,
  }
}

/** The row that is served is what the events say, for both sides and in every column. */
export const checkDocument = (
  document: StoredDocument,
  lists: StoredLists,
  { events, states, textOf }: VerifiedHistory,
  macKey: Buffer,
): void => {
  const head = events.at(-1)!
  const isHead = document.head_seq === events.length && head.hash.equals(document.head_hash)
  if (!isHead) failCheck('HEAD', 'the document does not end with its last event')
  if (document.row_mac?.equals(rowMac(document, macKey)) !== true) failCheck('GUARD', 'a counter')
  const times = [events[0]!.header.at, head.header.at]
  if (document.created_at !== times[0] || document.updated_at !== times[1])
    failCheck('REPLAY', 'times')
  if (document.revision !== events.length) failCheck('REPLAY', 'revision')
  const { issuer_id, counterparty_id, issued_at } = document
  const content = checkedContent(document)
  const parties: [string, string][] = [
    [content.issuer.organization_id, issuer_id],
    [content.counterparty.organization_id, counterparty_id],
  ]
  if (parties.some(([said, id]) => said !== encodeId('org', id))) failCheck('REPLAY', 'parties')

  const shared = sharedState(document)
  const type = documentTypes[document.type as DocumentTypeName]
  const own = (side: Role) => ({
    number: document[`${side}_number`],
    direction: side === 'issuer' ? 'issued' : 'received',
    label: type[side].label,
  })
  const metadata = canonicalMetadata(JSON.parse(document.metadata) as Record<string, string>)
  const draft = {
    ...canonicalContent(content),
    connection_id: shared.connection_id,
    document_type: shared.document_type,
    origin: shared.origin,
    status: document.status,
  }
  const isShared = issued_at !== null
  const issuerState = { ...(isShared ? shared : draft), ...own('issuer'), metadata }
  const counterpartyState = isShared ? { ...shared, ...own('counterparty') } : {}
  compare('issuer', issuerState, textOf(states.issuer))
  compare('counterparty', counterpartyState, textOf(states.counterparty))
  checkViews(document, lists)
  checkFrozen(document, lists)
}

const compare = (side: Role, row: object, replayed: string): void => {
  if (canonicalText(row) !== replayed) failCheck('REPLAY', `what the ${side} reads`)
}

/** Texts that are spliced into answers are exactly as they were written, and agree with columns. */
const checkedContent = (document: StoredDocument) => {
  const { content: text, metadata, dispute } = document
  for (const one of [text, metadata, dispute ?? 'null']) {
    const value: unknown = valueOrUndefined(() => JSON.parse(one))
    if (JSON.stringify(value) !== one) failCheck('CANONICAL', 'a text of the document')
  }
  if (!(document.type in documentTypes)) failCheck('REPLAY', 'type')
  const content = parseContent(text)
  const isUnissued = document.issued_at === null
  const isRight =
    content.currency === document.currency &&
    content.document_date === document.document_date &&
    content.due_date === document.due_date &&
    content.valid_until === document.valid_until &&
    majorText(content.total) === minorText(document.total) &&
    (!isUnissued ||
      (document.amount_paid === 0n &&
        document.amount_credited === 0n &&
        document.dispute === null &&
        document.counterparty_number === null))
  if (!isRight) failCheck('REPLAY', 'content and columns')
  return content
}

const valueOrUndefined = <T>(work: () => T): T | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

const partiesOf = (document: StoredDocument): readonly Role[] =>
  document.issued_at === null ? ['issuer'] : ['issuer', 'counterparty']

/** The parties that have not started over since they saw it. */
const viewersOf = (document: StoredDocument, begins: StoredLists['begins']): Role[] =>
  partiesOf(document).filter((side) => {
    const position = document[`${side}_position`]
    return position === null || position > begins[side]
  })

/** Over for whom sees it on, and for nobody else; of what nobody sees nothing is said. */
const checkFrozen = (document: StoredDocument, { begins }: StoredLists): void => {
  const viewers = viewersOf(document, begins).length
  const isFrozen = viewers < partiesOf(document).length
  if (viewers > 0 && document.is_frozen !== isFrozen) failCheck('REPLAY', 'whether it is over')
}

const checkViews = (document: StoredDocument, { views, begins }: StoredLists): void => {
  const sides = viewersOf(document, begins)
  const isRight =
    views.length === sides.length &&
    sides.every((side) => {
      const view = views.find((one) => one.side === side)
      return (
        view !== undefined &&
        view.organization_id === document[`${side}_id`] &&
        view.position === document[`${side}_position`] &&
        view.document_id === document.id &&
        view.number === document[`${side}_number`] &&
        view.type === document.type &&
        view.status === document.status &&
        view.connection_id === document.connection_id &&
        view.document_date === document.document_date &&
        view.updated_at === document.updated_at
      )
    })
  if (!isRight) failCheck('REPLAY', 'the list rows')
}
