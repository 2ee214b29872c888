/** One random walk of two organizations, and what the model says of every answer on the way. */
import assert from 'node:assert/strict'
import { Canaries, storedTextsFor } from '../http/canaries.ts'
import {
  newModelDocument,
  assertMatchesModel,
  filtersOf,
  isApplicable,
  canSee,
} from './model-comparison.ts'
import {
  type Line,
  type ModelDocument,
  type Step,
  type StepOf,
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
import {
  type TestOrganization,
  type Pair,
  type Reply,
  type TestService,
  callApi,
  freshIdempotencyKey,
} from '../service.ts'

type WriteStep = StepOf<'create' | 'edit' | 'issue' | 'move' | 'convert'>

/** The words of its lines: those of its notes and its reference stand before them. */
const lineCanaries = ({ canaries }: ModelDocument): string[] => canaries.slice(2)

export class RandomWalk {
  readonly #actors: readonly [TestOrganization, TestOrganization]
  readonly #connection: string
  readonly #running: TestService
  /** Connected to one of the two, and to be kept out of all that they exchange. */
  readonly #stranger: TestOrganization
  readonly #documents: ModelDocument[] = []
  /** In the order of each list, newest last. */
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
    if (step.does === 'create') return this.#create(step)
    if (step.does === 'list') return this.#list(step)
    if (this.#documents.length === 0) return
    const legal =
      'isLegal' in step && step.isLegal
        ? this.#documents.filter((one) => isApplicable(step, one))
        : []
    const among = legal.length > 0 ? legal : this.#documents
    const document = among[step.nth % among.length]!
    if (step.does === 'edit') return this.#edit(step, document)
    if (step.does === 'issue') return this.#issue(step, document)
    if (step.does === 'move') return this.#move(step, document)
    if (step.does === 'convert') return this.#convert(step, document)
    if (step.does === 'search') return this.#search(step, document)
    await this.#read(document)
  }

  async #call(actor: TestOrganization, method: string, path: string, asking = {}): Promise<Reply> {
    const reply = await callApi(this.#running, method, path, { key: actor.key, ...asking })
    const at = this.#actors.indexOf(actor)
    this.#canaries.assertNoneVisible(`${method} ${path}`, reply.text, at)
    assert(reply.status < 500, reply.text)
    return reply
  }

  /** The answer of a write; undefined when it was only tried. */
  async #write(
    step: WriteStep,
    method: string,
    path: string,
    body?: object,
  ): Promise<Reply | undefined> {
    const headers = {
      'idempotency-key': freshIdempotencyKey(),
      ...(step.how === 'dry' ? { 'svc-dry-run': 'true' } : {}),
    }
    const asking = { headers, ...(body === undefined ? {} : { body }) }
    const reply = await this.#call(this.#actors[step.who], method, path, asking)
    if (step.how === 'twice' && reply.status < 300) {
      const again = await this.#call(this.#actors[step.who], method, path, asking)
      assert.deepEqual([again.status, again.text], [reply.status, reply.text])
      assert.equal(again.headers.get('idempotent-replay'), 'true')
    }
    if (step.how === 'dry' && reply.status < 300) {
      assert.equal(reply.status, 200)
      return undefined
    }
    return reply
  }

  /** Texts of a draft: the other side may read them from issue on, but never the metadata. */
  #draftTexts(step: StepOf<'create' | 'edit' | 'convert'>): {
    body: object
    lines: Line[]
    canaries: string[]
  } {
    const other = [(1 - step.who) as 0 | 1]
    const [notes, reference, metadata] = [
      this.#canaries.textWithCanary(other),
      this.#canaries.textWithCanary(other),
      this.#canaries.textWithCanary(other),
    ]
    const words = [notes.word, reference.word]
    const filled = (step.lines ?? []).map((line) => {
      const [description, sku] = [
        this.#canaries.textWithCanary(other),
        this.#canaries.textWithCanary(other),
      ]
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
    { who }: WriteStep,
    type: string,
    { body }: Reply,
    { lines, canaries, source }: Pick<ModelDocument, 'lines' | 'canaries' | 'source'>,
  ): void {
    const document = newModelDocument({ id: body.id, type, issuer: who, lines, canaries, source })
    document.numbers[who] = this.#nextNumber(who, prefixes[type]![0])
    this.#documents.push(document)
    this.#lists[who].push(document)
    assertMatchesModel(document, who, body)
  }

  /** Into what may be made of it now, or into anything. */
  async #convert(step: StepOf<'convert'>, source: ModelDocument): Promise<void> {
    const legal = convertibleTo(source, step.who)
    const targets = legal.length > 0 ? legal : documentTypes
    const type = targets[step.pick % targets.length]!
    const filled = this.#draftTexts(step)
    const path = `/v1/documents/${source.id}/convert`
    const reply = await this.#write(step, 'POST', path, { document_type: type, ...filled.body })
    if (reply === undefined) return
    if (this.#isRefused(step, source, reply, 'conflict', legal.includes(type))) return
    const lines = step.lines === null ? source.lines : filled.lines
    const canaries = [...filled.canaries, ...(step.lines === null ? lineCanaries(source) : [])]
    this.#add(step, type, reply, { lines, canaries, source })
  }

  /** One word of a document, asked for by everybody. */
  async #search(step: StepOf<'search'>, document: ModelDocument): Promise<void> {
    const word = document.canaries[step.pick % document.canaries.length]!
    const path = `/v1/documents?limit=100&query=${word.slice(0, 17 - (step.pick % 3))}`
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

  /** 404 to whoever does not see it; true when the step goes no further. */
  #isRefused(
    step: WriteStep,
    document: ModelDocument,
    reply: Reply,
    code: string,
    isLegal: boolean,
  ): boolean {
    const expected = !canSee(document, step.who) ? 'not_found' : isLegal ? undefined : code
    assert.equal(reply.body.error?.code, expected, reply.text)
    return expected !== undefined
  }

  async #edit(step: StepOf<'edit'>, document: ModelDocument): Promise<void> {
    const filled = this.#draftTexts(step)
    const reply = await this.#write(step, 'PATCH', `/v1/documents/${document.id}`, filled.body)
    if (reply === undefined) return
    const isLegal = document.status === 'draft' && step.who === document.issuer
    if (this.#isRefused(step, document, reply, 'conflict', isLegal)) return
    document.revision += 1
    if (step.lines !== null) document.lines = filled.lines
    // Of the old texts only those of the lines stay, unless they were sent anew.
    const kept = step.lines === null ? lineCanaries(document) : []
    document.canaries = [...filled.canaries, ...kept]
    assertMatchesModel(document, step.who, reply.body)
  }

  async #issue(step: StepOf<'issue'>, document: ModelDocument): Promise<void> {
    const isOwnDraft = document.status === 'draft' && step.who === document.issuer
    const isLegal = isOwnDraft && isIssuable(document)
    const other = (1 - document.issuer) as 0 | 1
    const reply = await this.#write(step, 'POST', `/v1/documents/${document.id}/issue`)
    if (reply === undefined || this.#isRefused(step, document, reply, 'conflict', isLegal)) return
    applyIssue(document)
    document.numbers[other] = this.#nextNumber(other, prefixes[document.type]![1])
    this.#canaries.reveal(document.canaries, other)
    this.#lists[other].push(document)
    assertMatchesModel(document, step.who, reply.body)
    if (document.source !== null) await this.#read(document.source)
  }

  async #move(step: StepOf<'move'>, document: ModelDocument): Promise<void> {
    const allowed = allowedFor(document, step.who)
    const targets = step.isLegal
      ? allowed.filter((to) => !paymentStatuses.includes(to))
      : documentStatuses
    if (targets.length === 0) return
    const to = targets[step.pick % targets.length]!
    const { text, word } = this.#canaries.textWithCanary(
      document.isIssued ? [] : [(1 - document.issuer) as 0 | 1],
    )
    const path = `/v1/documents/${document.id}/transition`
    const reply = await this.#write(step, 'POST', path, { to, note: text })
    if (reply === undefined) return
    const isLegal = allowed.includes(to)
    if (paymentStatuses.includes(to) && isLegal) {
      return assert.equal(reply.body.error?.code, 'capability_unavailable', reply.text)
    }
    if (this.#isRefused(step, document, reply, 'conflict', isLegal)) {
      if (canSee(document, step.who)) assert.deepEqual(reply.body.error.details.allowed, allowed)
      return
    }
    applyTransition(document, to, step.who)
    if (to === 'disputed') assert(reply.text.includes(word))
    assertMatchesModel(document, step.who, reply.body)
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

  async #list(step: StepOf<'list'>): Promise<void> {
    const one = step.who
    const filters = filtersOf(one)
    const [query, holds] = filters[step.pick % filters.length]!
    const found: { id: string }[] = []
    let cursor = ''
    do {
      const path = `/v1/documents?limit=${step.limit}${query}${cursor}`
      const { body, status } = await this.#call(this.#actors[one], 'GET', path)
      assert.equal(status, 200)
      found.push(...body.data)
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    const expected = this.#lists[one].filter(holds).toReversed()
    assert.deepEqual(
      found.map(({ id }) => id),
      expected.map(({ id }) => id),
    )
    expected.forEach((document, i) => assertMatchesModel(document, one, found[i]))
    const others = await this.#call(this.#stranger, 'GET', '/v1/documents?limit=100')
    assert.deepEqual(others.body.data, [])
  }

  /** What is kept for the counterparty holds none of it either. */
  async assertNothingLeaked(): Promise<void> {
    for (const one of [0, 1] as const) {
      for (const text of await storedTextsFor(this.#running.database, this.#actors[one].uuid)) {
        this.#canaries.assertNoneVisible('what is kept', text, one)
      }
    }
  }
}
