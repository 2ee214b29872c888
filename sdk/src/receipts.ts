/**
 * What the service has acknowledged, kept by its caller: an answer or an event that shows less, or
 * something else, is an error. So whoever keeps receipts is a witness of every history.
 */
import type { ApiResponse } from './api-promise.ts'
import { DocexError } from './errors.ts'
import { sha256 } from './key-store.ts'
import type { CallDescription } from './request.ts'

export interface KeptReceipt {
  /** The newest event of the history that an answer has acknowledged (`Svc-Event`). */
  event?: { stream: string; seq: number; hash: string }
  /** The highest revision of the document that was read. */
  revision?: number
  /** The newest event that the feed or a webhook has told. */
  told?: { id: string; sequence: number; revision: number; created_at: string }
}

/** By document. A Map with `put` is one; so is a file or a table. */
export interface ReceiptStore {
  get(document: string): KeptReceipt | null | undefined | Promise<KeptReceipt | null | undefined>
  put(document: string, kept: KeptReceipt): unknown
}

export class MemoryReceiptStore implements ReceiptStore {
  readonly #kept = new Map<string, KeptReceipt>()

  get(document: string): KeptReceipt | undefined {
    return this.#kept.get(document)
  }

  put(document: string, kept: KeptReceipt): void {
    this.#kept.set(document, kept)
  }
}

/** The service has shown an older state of a document than before, or another history. */
export class ReceiptError extends DocexError {
  readonly document: string
  readonly reason: 'older' | 'other'
  /** What was acknowledged before; the store still has it. */
  readonly kept: KeptReceipt
  /** What contradicts it. */
  readonly shown: KeptReceipt

  constructor(document: string, reason: 'older' | 'other', kept: KeptReceipt, shown: KeptReceipt) {
    super(
      reason === 'older'
        ? `The service shows an older state of ${document} than it has acknowledged.`
        : `The service shows another history of ${document} than it has acknowledged.`,
    )
    this.document = document
    this.reason = reason
    this.kept = kept
    this.shown = shown
  }
}

export interface ReceiptOptions {
  /** Called instead of an error being thrown; the call then returns as usual. */
  onContradiction?: ((error: ReceiptError) => unknown) | undefined
}

interface Shown extends KeptReceipt {
  document: string
  /** Whether the answer names the document; otherwise the path does, which may be its source. */
  isNamed?: boolean
  isReplay?: boolean
  /** The hashes of its events by seq, of a whole history or of one event. */
  hashes?: ReadonlyMap<number, string>
  isWhole?: boolean
}

export class Receipts {
  readonly #store: ReceiptStore
  readonly #onContradiction: ReceiptOptions['onContradiction']
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: ReceiptStore, { onContradiction }: ReceiptOptions = {}) {
    this.#store = store
    this.#onContradiction = onContradiction
  }

  /** What is known before a call is sent: its answer must not be older. */
  async before({ path }: CallDescription): Promise<KeptReceipt | undefined> {
    const document = documentPath.exec(path)?.[1]
    return (document && (await this.#store.get(document))) || undefined
  }

  async after(
    call: CallDescription,
    response: ApiResponse<Uint8Array>,
    known: KeptReceipt | undefined,
  ): Promise<void> {
    const asked = documentPath.exec(call.path)?.[1]
    for (const shown of await shownBy(call, response)) {
      await this.#compare(shown, shown.document === asked ? known : undefined)
    }
  }

  /** Compares and keeps an event of a webhook. Those of the feed are compared by the client. */
  event(event: object): Promise<void> {
    const shown = toldBy(event)
    return shown === undefined ? Promise.resolve() : this.#compare(shown)
  }

  #compare(shown: Shown, known?: KeptReceipt): Promise<void> {
    const compared = this.#last.then(() => this.#compareNow(shown, known ?? {}))
    this.#last = compared.catch(() => undefined)
    return compared
  }

  async #compareNow(shown: Shown, known: KeptReceipt): Promise<void> {
    const { document } = shown
    const kept = (await this.#store.get(document)) ?? {}
    const isStrange = shown.event && shown.event.stream !== kept.event?.stream
    if (isStrange && !shown.isNamed) return
    const reason = contradictionOf(shown, kept, known)
    if (reason === undefined) {
      const next = newestOf(kept, shown)
      if (JSON.stringify(next) !== JSON.stringify(kept)) await this.#store.put(document, next)
      return
    }
    const error = new ReceiptError(document, reason, kept, newestOf({}, shown))
    if (this.#onContradiction === undefined) throw error
    await this.#onContradiction(error)
  }
}

const documentPath = /^\/v1\/documents\/(doc_[0-9a-z]+)(\/.*)?$/

/**
 * An answer may cross another one on its way, so only what was kept before its call was sent must
 * not be newer. Two things at one place are always the same.
 */
const contradictionOf = (
  { event, revision, told, hashes, isWhole, isReplay }: Shown,
  kept: KeptReceipt,
  known: KeptReceipt,
): 'older' | 'other' | undefined => {
  if (event && kept.event) {
    if (event.stream !== kept.event.stream) return 'other'
    if (event.seq === kept.event.seq && event.hash !== kept.event.hash) return 'other'
    if (!isReplay && known.event && event.seq < known.event.seq) return 'older'
  }
  if (hashes && kept.event) {
    const { seq, hash } = kept.event
    const found = hashes.get(seq)
    if (found !== undefined && found !== hash) return 'other'
    if (isWhole && known.event && !hashes.has(known.event.seq)) return 'older'
  }
  if (!isReplay && (revision ?? Infinity) < (known.revision ?? 0)) return 'older'
  return told && kept.told && contradictionOfTold(told, kept.told)
}

type Told = NonNullable<KeptReceipt['told']>

/** Deliveries arrive in any order, but their numbers, revisions and times rise together. */
const contradictionOfTold = (a: Told, b: Told): 'other' | undefined => {
  const [first, second] = a.sequence < b.sequence ? [a, b] : [b, a]
  const isOrdered =
    first.sequence === second.sequence
      ? first.id === second.id
      : first.revision <= second.revision && first.created_at <= second.created_at
  return isOrdered ? undefined : 'other'
}

const newestOf = (kept: KeptReceipt, { event, revision, told, isReplay }: Shown): KeptReceipt => ({
  ...kept,
  ...(event && event.seq > (kept.event?.seq ?? 0) ? { event } : {}),
  ...(!isReplay && revision !== undefined && revision > (kept.revision ?? 0) ? { revision } : {}),
  ...(told && told.sequence > (kept.told?.sequence ?? 0) ? { told } : {}),
})

/** As much of an answer as is looked at. */
interface Body {
  id?: string
  document_id?: string
  revision?: number
  data?: object[]
  entries?: { seq: number; hash: string }[]
  header?: Header
  events?: { header: Header }[]
}
type Header = { seq: number }

const shownBy = async (
  { method, path }: CallDescription,
  { data, headers, replayed }: ApiResponse<Uint8Array>,
): Promise<Shown[]> => {
  const [, id, rest = ''] = documentPath.exec(path) ?? []
  const line = headers.get('svc-event')
  const isRead = method === 'GET' && (id !== undefined || path === '/v1/events')
  if (line === null && !isRead) return []
  const isJson = headers.get('content-type')?.startsWith('application/json')
  const body = (isJson ? JSON.parse(new TextDecoder().decode(data)) : {}) as Body
  if (line !== null) {
    const named = body.id?.startsWith('doc_') ? body.id : body.document_id
    const document = named ?? id
    if (document === undefined) return []
    const [stream = '', seq, hash = ''] = line.split(' ')
    const event = { stream, seq: Number(seq), hash }
    const isRevised = named !== undefined && named === body.id && body.revision !== undefined
    const revision = isRevised ? { revision: body.revision! } : {}
    return [{ document, event, isNamed: named !== undefined, isReplay: replayed, ...revision }]
  }
  if (path === '/v1/events') return (body.data ?? []).flatMap((event) => toldBy(event) ?? [])
  const document = id!
  if (rest === '' && body.revision !== undefined) return [{ document, revision: body.revision }]
  if (rest === '/history') {
    const entries = body.entries ?? []
    return [{ document, hashes: new Map(entries.map((one) => [one.seq, one.hash])), isWhole: true }]
  }
  const found = rest === '/export' ? body.events?.map(({ header }) => header) : [body.header]
  const logged = (found ?? []).filter((header) => header !== undefined)
  const hashes = await Promise.all(logged.map(hashOf))
  const bySeq = new Map(logged.map(({ seq }, i) => [seq, hashes[i]!]))
  return [{ document, hashes: bySeq, isWhole: rest === '/export' && logged.length > 0 }]
}

/** The hash of an event is that of its leaf in the log. A header arrives in canonical form. */
const hashOf = (header: Header): Promise<string> =>
  sha256(new TextEncoder().encode(`\0${JSON.stringify(header)}`))

const toldBy = (event: object): Shown | undefined => {
  const { id, sequence, created_at, data } = event as Partial<Told> & {
    data?: { document?: { id: string; revision: number } }
  }
  const document = data?.document
  if (!document?.id || !id || sequence === undefined || created_at === undefined) return undefined
  const told = { id, sequence, revision: document.revision, created_at }
  return { document: document.id, told }
}
