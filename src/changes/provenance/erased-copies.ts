/**
 * The copies of a document's texts outside of its history: list rows get the new change time,
 * search words are replaced, and stored events and responses lose their texts. Redeliveries and
 * repeated requests show what is left; a repetition still has no second effect.
 */
import { compactText, knownText, markContent } from '../../core/compact-text.ts'
import type { DocumentContent } from '../../core/documents/content.ts'
import { indexEntryOf } from '../../core/documents/search-index.ts'
import { searchableWords } from '../../core/documents/search-terms.ts'
import type { Queryable } from '../../database/sql.ts'
import { deleteReplacedContents } from '../../store/documents/replaced-contents.ts'
import { deleteStoredResponses } from '../../store/idempotency.ts'
import * as store from '../../store/provenance/erasure.ts'
import type { DocumentRow } from '../change-context.ts'

const erasedText = '[erased]'

/** The content without free text; amounts, dates and parties remain. */
export const redactContent = <Content extends DocumentContent>(content: Content): Content => ({
  ...content,
  notes: null,
  external_refs: {},
  line_items: content.line_items.map((line) => ({ ...line, description: erasedText, sku: null })),
})

/** A document as an event or a response shows it, as far as its text is concerned. */
type ShownDocument = DocumentContent & {
  metadata?: object
  dispute: object | null
  import?: { understood: object[]; ignored: object[]; warnings: { file: string | null }[] }
}

const redactShown = (shown: ShownDocument): ShownDocument => ({
  ...redactContent(shown),
  dispute: shown.dispute === null ? null : { ...shown.dispute, note: null },
  ...(shown.metadata === undefined ? {} : { metadata: {} }),
  ...(shown.import === undefined ? {} : { import: redactReport(shown.import) }),
})

/** What the service found stays, and nothing that the file said. */
const redactReport = (report: NonNullable<ShownDocument['import']>) => ({
  ...report,
  understood: [],
  ignored: [],
  warnings: report.warnings.map((warning) => ({ ...warning, file: null })),
})

interface Copies {
  events: readonly store.ProvenEvent[]
  responses: readonly store.ProvenResponse[]
}

/** Loaded before the content is erased, since they show the content that the document has. */
export const copiesOf = async (tx: Queryable, id: string): Promise<Copies> => ({
  events: await store.eventsAbout(tx, id),
  responses: await store.responsesAbout(tx, id),
})

export const eraseCopies = async (
  tx: Queryable,
  document: DocumentRow,
  { events, responses }: Copies,
): Promise<void> => {
  await eraseSearchWords(tx, document)
  await eraseResponses(tx, document, responses)
  await store.deleteAttemptResponses(tx, document.id)
  const remaining = events.flatMap((event) => {
    const envelope = JSON.parse(event.text) as { data: { document?: ShownDocument } }
    const shown = envelope.data.document
    if (shown === undefined) return []
    envelope.data.document = redactShown(shown)
    const text = JSON.stringify(envelope)
    const marked = markContent(text, document.content)
    const payload = compactText(marked, { known: knownText(document, event) })
    return [{ ...event, payload, text }]
  })
  if (remaining.length > 0) await store.updateEventTexts(tx, remaining)
  // From now on, every event shows the content that remains.
  await deleteReplacedContents(tx, document.id)
}

const eraseSearchWords = async (tx: Queryable, document: DocumentRow): Promise<void> => {
  const { id, total, currency, issuer_number, content } = document
  const payment_amounts = await store.paymentAmounts(tx, id)
  const amounts = { total, currency, payment_amounts }
  for (const side of ['issuer', 'counterparty'] as const) {
    const position = document[`${side}_position`]
    if (position === null) continue
    const organization = document[`${side}_id`]
    const number = document[`${side}_number`] ?? issuer_number
    const words = searchableWords({ ...amounts, side, number, issuer_number, content })
    const entry = indexEntryOf(organization, position, words)
    await store.replaceSearchWords(tx, { organization, position, words: entry })
  }
}

const eraseResponses = (
  tx: Queryable,
  document: DocumentRow,
  responses: readonly store.ProvenResponse[],
): Promise<void> =>
  saveRemains(tx, responses, (shown) => {
    const text = JSON.stringify(redactShown(JSON.parse(shown) as ShownDocument))
    const marked = markContent(text, document.content)
    return { text, body: compactText(marked, { known: knownText(document) }) }
  })

/** The comments are gone, and a repeated request would be answered with their erased texts. */
export const eraseCommentResponses = async (
  tx: Queryable,
  comments: readonly string[],
): Promise<void> =>
  saveRemains(tx, await store.responsesOf(tx, comments), (shown) => {
    const text = JSON.stringify({ ...(JSON.parse(shown) as object), text: erasedText })
    return { text, body: compactText(text) }
  })

/** A response that does not prove true is deleted: it is no longer replayed. */
const saveRemains = async (
  tx: Queryable,
  responses: readonly store.ProvenResponse[],
  remainsOf: (text: string) => { text: string; body: Buffer },
): Promise<void> => {
  const proven = responses.filter(({ isAsSealed }) => isAsSealed)
  const broken = responses.filter(({ isAsSealed }) => !isAsSealed)
  if (broken.length > 0)
    await deleteStoredResponses(
      tx,
      broken.map(({ key_mac }) => key_mac),
    )
  if (proven.length === 0) return
  const remaining = proven.map((response) => ({ ...response, ...remainsOf(response.text) }))
  await store.updateResponseTexts(tx, remaining)
}
