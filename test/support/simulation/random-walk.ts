/** A random walk of two organizations; the model predicts every response. */
import assert from 'node:assert/strict'
import { Canaries, storedTextsFor } from '../http/canaries.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../api-client.ts'
import type { TestOrganization, Pair } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'
import {
  newModelDocument,
  assertMatchesModel,
  filtersOf,
  isApplicable,
  canSee,
} from './model-comparison.ts'
import {
  type ModelDocument,
  allowedFor,
  convertibleTo,
  isIssuable,
  applyIssue,
  applyTransition,
  paymentStatuses,
  prefixes,
  documentStatuses,
  documentTypes,
} from './model.ts'
import type { Step, StepOf } from './steps.ts'

type WriteStep = StepOf<'create' | 'edit' | 'issue' | 'move' | 'convert'>

/** The canaries of its lines, which follow those of its notes and its reference. */
const lineCanaries = ({ canaries }: ModelDocument): string[] => canaries.slice(2)

export class RandomWalk {
  readonly #actors: readonly [TestOrganization, TestOrganization]
  readonly #connection: string
  readonly #running: TestService
  /** Connected to one of the two, but must see none of their documents. */
  readonly #stranger: TestOrganization
  readonly #documents: ModelDocument[] = []
  /** The documents in each organization's list, newest last. */
  readonly #lists: [ModelDocument[], ModelDocument[]] = [[], []]
  readonly #counters = [new Map<string, number>(), new Map<string, number>()] as const
  readonly #canaries = new Canaries()

  constructor(
    running: TestService,
    { issuer, counterparty, connection }: Pair,
    stranger: TestOrganization,
  ) {
    this.#running = running
    this.#stranger = stranger
    this.#actors = [issuer, counterparty]
    this.#connection = connection
  }

  async perform(step: Step): Promise<void> {
    if (step.action === 'create') return this.#create(step)
    if (step.action === 'list') return this.#list(step)
    if (this.#documents.length === 0) return
    const legal =
      'isLegal' in step && step.isLegal
        ? this.#documents.filter((one) => isApplicable(step, one))
        : []
    const candidates = legal.length > 0 ? legal : this.#documents
    const document = candidates[step.documentIndex % candidates.length]!
    if (step.action === 'edit') return this.#edit(step, document)
    if (step.action === 'issue') return this.#issue(step, document)
    if (step.action === 'move') return this.#move(step, document)
    if (step.action === 'convert') return this.#convert(step, document)
    if (step.action === 'search') return this.#search(step, document)
    await this.#read(document)
  }

  async #call(actor: TestOrganization, method: string, path: string, options = {}): Promise<Reply> {
    const reply = await callApi(this.#running, method, path, { key: actor.key, ...options })
    const reader = this.#actors.indexOf(actor)
    this.#canaries.assertNoneVisible(`${method} ${path}`, reply.text, reader)
    assert(reply.status < 500, reply.text)
    return reply
  }

  /** Returns the response to a write; undefined if it was a dry run. */
  async #write(
    step: WriteStep,
    method: string,
    path: string,
    body?: object,
  ): Promise<Reply | undefined> {
    const headers = {
      'idempotency-key': freshIdempotencyKey(),
      ...(step.mode === 'dry' ? { 'svc-dry-run': 'true' } : {}),
    }
    const options = { headers, ...(body === undefined ? {} : { body }) }
    const reply = await this.#call(this.#actors[step.party], method, path, options)
    if (step.mode === 'twice' && reply.status < 300) {
      const again = await this.#call(this.#actors[step.party], method, path, options)
      assert.deepEqual([again.status, again.text], [reply.status, reply.text])
      assert.equal(again.headers.get('idempotent-replay'), 'true')
    }
    if (step.mode === 'dry' && reply.status < 300) {
      assert.equal(reply.status, 200)
      return undefined
    }
    return reply
  }

  /** The texts of a draft. The other side may read them once it is issued, but not the metadata. */
  #draftTexts(step: StepOf<'create' | 'edit' | 'convert'>) {
    const other = [(1 - step.party) as 0 | 1]
    const hiddenText = () => this.#canaries.textWithCanary(other)
    const [notes, reference, metadata] = [hiddenText(), hiddenText(), hiddenText()]
    const words = [notes.word, reference.word]
    const filled = (step.lines ?? []).map((line) => {
      const [description, sku] = [hiddenText(), hiddenText()]
      words.push(description.word, sku.word)
      return { ...line, description: description.text, sku: sku.text }
    })
    const body = {
      notes: notes.text,
      external_refs: { issuer_ref: reference.text },
      metadata: { margin: metadata.text },
      ...(step.lines === null ? {} : { line_items: filled }),
    }
    return { body, lines: filled, canaries: words }
  }

  async #create(step: StepOf<'create'>): Promise<void> {
    const filled = this.#draftTexts(step)
    const draft = { connection_id: this.#connection, document_type: step.type, ...filled.body }
    const reply = await this.#write(step, 'POST', '/v1/documents', draft)
    if (reply === undefined) return
    assert.equal(reply.status, 201, reply.text)
    this.#add(step, step.type, reply, { ...filled, source: null })
  }

  #add(
    { party }: WriteStep,
    type: string,
    { body }: Reply,
    { lines, canaries, source }: Pick<ModelDocument, 'lines' | 'canaries' | 'source'>,
  ): void {
    const document = newModelDocument({ id: body.id, type, issuer: party, lines, canaries, source })
    document.numbers[party] = this.#nextNumber(party, prefixes[type]![0])
    this.#documents.push(document)
    this.#lists[party].push(document)
    assertMatchesModel(document, party, body)
  }

  /** Converts to a type that is legal now if there is one, otherwise to any type. */
  async #convert(step: StepOf<'convert'>, source: ModelDocument): Promise<void> {
    const legal = convertibleTo(source, step.party)
    const targets = legal.length > 0 ? legal : documentTypes
    const type = targets[step.choice % targets.length]!
    const filled = this.#draftTexts(step)
    const path = `/v1/documents/${source.id}/convert`
    const reply = await this.#write(step, 'POST', path, { document_type: type, ...filled.body })
    if (reply === undefined) return
    if (this.#isRefused(step, source, reply, 'conflict', legal.includes(type))) return
    const lines = step.lines === null ? source.lines : filled.lines
    const canaries = [...filled.canaries, ...(step.lines === null ? lineCanaries(source) : [])]
    this.#add(step, type, reply, { lines, canaries, source })
  }

  /** Searches for one word of a document as each organization. */
  async #search(step: StepOf<'search'>, document: ModelDocument): Promise<void> {
    const word = document.canaries[step.choice % document.canaries.length]!
    const path = `/v1/documents?limit=100&query=${word.slice(0, 17 - (step.choice % 3))}`
    for (const one of [0, 1] as const) {
      const { body } = await this.#call(this.#actors[one], 'GET', path)
      assert.deepEqual(
        body.data.map(({ id }: { id: string }) => id),
        this.#lists[one]
          .filter(({ canaries }) => canaries.includes(word))
          .map(({ id }) => id)
          .toReversed(),
      )
    }
    const { body } = await this.#call(this.#stranger, 'GET', path)
    assert.deepEqual(body.data, [])
  }

  #nextNumber(one: 0 | 1, prefix: string): string {
    const next = (this.#counters[one].get(prefix) ?? 0) + 1
    this.#counters[one].set(prefix, next)
    return `${prefix}-${String(next).padStart(6, '0')}`
  }

  /** Expects 404 if the party does not see the document; true if the step was refused. */
  #isRefused(
    step: WriteStep,
    document: ModelDocument,
    reply: Reply,
    code: string,
    isLegal: boolean,
  ): boolean {
    const expected = !canSee(document, step.party) ? 'not_found' : isLegal ? undefined : code
    assert.equal(reply.body.error?.code, expected, reply.text)
    return expected !== undefined
  }

  async #edit(step: StepOf<'edit'>, document: ModelDocument): Promise<void> {
    const filled = this.#draftTexts(step)
    const reply = await this.#write(step, 'PATCH', `/v1/documents/${document.id}`, filled.body)
    if (reply === undefined) return
    const isLegal = document.status === 'draft' && step.party === document.issuer
    if (this.#isRefused(step, document, reply, 'conflict', isLegal)) return
    document.revision += 1
    if (step.lines !== null) document.lines = filled.lines
    // An edit replaces all texts, except those of lines that it does not send.
    const unchanged = step.lines === null ? lineCanaries(document) : []
    document.canaries = [...filled.canaries, ...unchanged]
    assertMatchesModel(document, step.party, reply.body)
  }

  async #issue(step: StepOf<'issue'>, document: ModelDocument): Promise<void> {
    const isOwnDraft = document.status === 'draft' && step.party === document.issuer
    const isLegal = isOwnDraft && isIssuable(document)
    const other = (1 - document.issuer) as 0 | 1
    const reply = await this.#write(step, 'POST', `/v1/documents/${document.id}/issue`)
    if (reply === undefined || this.#isRefused(step, document, reply, 'conflict', isLegal)) return
    applyIssue(document)
    document.numbers[other] = this.#nextNumber(other, prefixes[document.type]![1])
    this.#canaries.reveal(document.canaries, other)
    this.#lists[other].push(document)
    assertMatchesModel(document, step.party, reply.body)
    if (document.source !== null) await this.#read(document.source)
  }

  async #move(step: StepOf<'move'>, document: ModelDocument): Promise<void> {
    const allowed = allowedFor(document, step.party)
    const targets = step.isLegal
      ? allowed.filter((to) => !paymentStatuses.includes(to))
      : documentStatuses
    if (targets.length === 0) return
    const to = targets[step.choice % targets.length]!
    const hiddenFrom = document.isIssued ? [] : [(1 - document.issuer) as 0 | 1]
    const { text, word } = this.#canaries.textWithCanary(hiddenFrom)
    const path = `/v1/documents/${document.id}/transition`
    const reply = await this.#write(step, 'POST', path, { to, note: text })
    if (reply === undefined) return
    const isLegal = allowed.includes(to)
    if (paymentStatuses.includes(to) && isLegal) {
      return assert.equal(reply.body.error?.code, 'capability_unavailable', reply.text)
    }
    if (this.#isRefused(step, document, reply, 'conflict', isLegal)) {
      if (canSee(document, step.party)) assert.deepEqual(reply.body.error.details.allowed, allowed)
      return
    }
    applyTransition(document, to, step.party)
    if (to === 'disputed') assert(reply.text.includes(word))
    assertMatchesModel(document, step.party, reply.body)
  }

  async #read(document: ModelDocument): Promise<void> {
    for (const one of [0, 1] as const) {
      const reply = await this.#call(this.#actors[one], 'GET', `/v1/documents/${document.id}`)
      if (canSee(document, one)) assertMatchesModel(document, one, reply.body)
      else assert.equal(reply.status, 404)
    }
    const path = `/v1/documents/${document.id}`
    const replies = [
      await this.#call(this.#stranger, 'GET', path),
      await this.#call(this.#stranger, 'GET', `${path}/transitions`),
      await this.#call(this.#stranger, 'POST', `${path}/issue`),
      await this.#call(this.#stranger, 'PATCH', path, { body: { notes: 'mine' } }),
    ]
    for (const { status } of replies) assert.equal(status, 404)
  }

  async #list({ party, limit, choice }: StepOf<'list'>): Promise<void> {
    const filters = filtersOf(party)
    const [query, matches] = filters[choice % filters.length]!
    const listed: { id: string }[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = cursor && `&cursor=${cursor}`
      const path = `/v1/documents?limit=${limit}${query}${page}`
      const { body, status } = await this.#call(this.#actors[party], 'GET', path)
      assert.equal(status, 200)
      listed.push(...body.data)
      cursor = body.next_cursor
    }
    const expected = this.#lists[party].filter(matches).toReversed()
    assert.deepEqual(
      listed.map(({ id }) => id),
      expected.map(({ id }) => id),
    )
    expected.forEach((document, i) => assertMatchesModel(document, party, listed[i]))
    const others = await this.#call(this.#stranger, 'GET', '/v1/documents?limit=100')
    assert.deepEqual(others.body.data, [])
  }

  /** The texts stored for one party contain nothing hidden from it. */
  async assertNothingLeaked(): Promise<void> {
    for (const one of [0, 1] as const) {
      for (const text of await storedTextsFor(this.#running.database, this.#actors[one].uuid)) {
        this.#canaries.assertNoneVisible('a stored text', text, one)
      }
    }
  }
}
