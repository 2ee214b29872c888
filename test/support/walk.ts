/** One random walk of two organizations, and what the model says of every answer on the way. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { sql } from '../../src/sql.ts'
import {
  type Line,
  type ModelDocument,
  type Step,
  type StepOf,
  allowedFor,
  entryOf,
  moveTo,
  paying,
  prefixes,
  states,
  totalsOf,
} from './model.ts'
import { type Acting, type Pair, type Reply, type Running, ask, freshKey } from './service.ts'

type Written = StepOf<'create' | 'edit' | 'issue' | 'move'>

export class Walk {
  readonly #actors: readonly [Acting, Acting]
  readonly #connection: string
  readonly #running: Running
  /** Connected to one of the two, and to be kept out of all that they exchange. */
  readonly #stranger: Acting
  readonly #documents: ModelDocument[] = []
  /** In the order of each list, newest last. */
  readonly #lists: [ModelDocument[], ModelDocument[]] = [[], []]
  readonly #counters = [new Map<string, number>(), new Map<string, number>()] as const
  /** Words that an organization must not see. */
  readonly #hidden = [new Set<string>(), new Set<string>()] as const
  readonly #all = new Set<string>()

  constructor(running: Running, { issuer, counterparty, connection }: Pair, stranger: Acting) {
    this.#running = running
    this.#stranger = stranger
    this.#actors = [issuer, counterparty]
    this.#connection = connection
  }

  async take(step: Step): Promise<void> {
    if (step.does === 'create') return this.#create(step)
    if (step.does === 'list') return this.#list(step)
    if (this.#documents.length === 0) return
    const document = this.#documents[step.nth % this.#documents.length]!
    if (step.does === 'edit') return this.#edit(step, document)
    if (step.does === 'issue') return this.#issue(step, document)
    if (step.does === 'move') return this.#move(step, document)
    await this.#read(document)
  }

  /** A text with a word of its own, and with characters that JSON, HTML and SQL each dislike. */
  #text(hiddenFrom: readonly (0 | 1)[]): { text: string; word: string } {
    const word = `w${randomBytes(8).toString('hex')}w`
    for (const one of hiddenFrom) this.#hidden[one].add(word)
    this.#all.add(word)
    return { text: `"${word}\\ 'é😀 </script> %_ ${word}`, word }
  }

  async #ask(actor: Acting, method: string, path: string, asking = {}): Promise<Reply> {
    const reply = await ask(this.#running, method, path, { key: actor.key, ...asking })
    const at = this.#actors.indexOf(actor)
    const hidden = at < 0 ? this.#all : this.#hidden[at]!
    for (const [word] of reply.text.matchAll(/w[0-9a-f]{16}w/g)) {
      assert(!hidden.has(word), `${method} ${path} shows ${word}: ${reply.text}`)
    }
    assert(reply.status < 500, reply.text)
    return reply
  }

  /** The answer of a write; undefined when it was only tried. */
  async #write(
    step: Written,
    method: string,
    path: string,
    body?: object,
  ): Promise<Reply | undefined> {
    const headers = {
      'idempotency-key': freshKey(),
      ...(step.how === 'dry' ? { 'svc-dry-run': 'true' } : {}),
    }
    const asking = { headers, ...(body === undefined ? {} : { body }) }
    const reply = await this.#ask(this.#actors[step.who], method, path, asking)
    if (step.how === 'twice' && reply.status < 300) {
      const again = await this.#ask(this.#actors[step.who], method, path, asking)
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
  #filled(step: StepOf<'create' | 'edit'>): { body: object; lines: Line[]; words: string[] } {
    const other = [(1 - step.who) as 0 | 1]
    const [notes, reference, metadata] = [this.#text(other), this.#text(other), this.#text(other)]
    const words = [notes.word, reference.word]
    const filled = (step.lines ?? []).map((line) => {
      const [description, sku] = [this.#text(other), this.#text(other)]
      words.push(description.word, sku.word)
      return { ...line, description: description.text, sku: sku.text }
    })
    const body = {
      notes: notes.text,
      external_refs: { issuer_ref: reference.text },
      metadata: { margin: metadata.text },
      ...(step.lines === null ? {} : { line_items: filled }),
    }
    return { body, lines: filled, words }
  }

  async #create(step: StepOf<'create'>): Promise<void> {
    const filled = this.#filled(step)
    const draft = { connection_id: this.#connection, document_type: step.type, ...filled.body }
    const reply = await this.#write(step, 'POST', '/v1/documents', draft)
    if (reply === undefined) return
    assert.equal(reply.status, 201, reply.text)
    const document: ModelDocument = {
      id: reply.body.id,
      type: step.type,
      issuer: step.who,
      status: 'draft',
      revision: 1,
      lines: filled.lines,
      isIssued: false,
      numbers: [null, null],
      raisedBy: null,
      words: filled.words,
    }
    document.numbers[step.who] = this.#nextNumber(step.who, prefixes[step.type]![0])
    this.#documents.push(document)
    this.#lists[step.who].push(document)
    this.#compare(document, step.who, reply.body)
  }

  #nextNumber(one: 0 | 1, prefix: string): string {
    const next = (this.#counters[one].get(prefix) ?? 0) + 1
    this.#counters[one].set(prefix, next)
    return `${prefix}-${String(next).padStart(6, '0')}`
  }

  /** 404 to whoever does not see it; true when the step goes no further. */
  #isRefused(
    step: Written,
    document: ModelDocument,
    reply: Reply,
    code: string,
    isLegal: boolean,
  ): boolean {
    const expected = !this.#sees(document, step.who) ? 'not_found' : isLegal ? undefined : code
    assert.equal(reply.body.error?.code, expected, reply.text)
    return expected !== undefined
  }

  #sees({ issuer, isIssued }: ModelDocument, one: 0 | 1): boolean {
    return issuer === one || isIssued
  }

  async #edit(step: StepOf<'edit'>, document: ModelDocument): Promise<void> {
    const filled = this.#filled(step)
    const reply = await this.#write(step, 'PATCH', `/v1/documents/${document.id}`, filled.body)
    if (reply === undefined) return
    const isLegal = document.status === 'draft' && step.who === document.issuer
    if (this.#isRefused(step, document, reply, 'conflict', isLegal)) return
    document.revision += 1
    if (step.lines !== null) document.lines = filled.lines
    // Of the old texts only those of the lines stay, unless they were sent anew.
    const kept = step.lines === null ? document.words.slice(2) : []
    document.words = [...filled.words, ...kept]
    this.#compare(document, step.who, reply.body)
  }

  async #issue(step: StepOf<'issue'>, document: ModelDocument): Promise<void> {
    const isLegal = document.status === 'draft' && step.who === document.issuer
    const other = (1 - document.issuer) as 0 | 1
    const reply = await this.#write(step, 'POST', `/v1/documents/${document.id}/issue`)
    if (reply === undefined || this.#isRefused(step, document, reply, 'conflict', isLegal)) return
    document.status = entryOf(document.type)
    document.revision += 1
    document.isIssued = true
    document.numbers[other] = this.#nextNumber(other, prefixes[document.type]![1])
    for (const word of document.words) this.#hidden[other].delete(word)
    this.#lists[other].push(document)
    this.#compare(document, step.who, reply.body)
  }

  async #move(step: StepOf<'move'>, document: ModelDocument): Promise<void> {
    const allowed = allowedFor(document, step.who)
    const targets = step.isLegal ? allowed.filter((to) => !paying.includes(to)) : states
    if (targets.length === 0) return
    const to = targets[step.pick % targets.length]!
    const { text, word } = this.#text(document.isIssued ? [] : [(1 - document.issuer) as 0 | 1])
    const path = `/v1/documents/${document.id}/transition`
    const reply = await this.#write(step, 'POST', path, { to, note: text })
    if (reply === undefined) return
    if (paying.includes(to)) return assert.equal(reply.body.error?.code, 'not_enabled', reply.text)
    const isLegal = allowed.includes(to)
    if (this.#isRefused(step, document, reply, 'conflict', isLegal)) {
      if (this.#sees(document, step.who))
        assert.deepEqual(reply.body.error.details.allowed, allowed)
      return
    }
    moveTo(document, to, step.who)
    if (to === 'disputed') assert(reply.text.includes(word))
    this.#compare(document, step.who, reply.body)
  }

  async #read(document: ModelDocument): Promise<void> {
    for (const one of [0, 1] as const) {
      const reply = await this.#ask(this.#actors[one], 'GET', `/v1/documents/${document.id}`)
      if (this.#sees(document, one)) this.#compare(document, one, reply.body)
      else assert.equal(reply.status, 404)
    }
    const path = `/v1/documents/${document.id}`
    const asked = [
      await this.#ask(this.#stranger, 'GET', path),
      await this.#ask(this.#stranger, 'POST', `${path}/issue`),
      await this.#ask(this.#stranger, 'PATCH', path, { body: { notes: 'mine' } }),
    ]
    for (const { status } of asked) assert.equal(status, 404)
  }

  async #list(step: StepOf<'list'>): Promise<void> {
    const one = step.who
    const filters: [string, (document: ModelDocument) => boolean][] = [
      ['', () => true],
      ['&type=invoice,quote', ({ type }) => type === 'invoice' || type === 'quote'],
      ['&status=draft', ({ status }) => status === 'draft'],
      ['&direction=received', ({ issuer }) => issuer !== one],
      [
        '&phase=pending&direction=issued',
        ({ issuer, status }) =>
          issuer === one && ['submitted', 'sent', 'acknowledged'].includes(status),
      ],
    ]
    const [query, holds] = filters[step.pick % filters.length]!
    const found: { id: string }[] = []
    let cursor = ''
    do {
      const path = `/v1/documents?limit=${step.limit}${query}${cursor}`
      const { body, status } = await this.#ask(this.#actors[one], 'GET', path)
      assert.equal(status, 200)
      found.push(...body.data)
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    const expected = this.#lists[one].filter(holds).toReversed()
    assert.deepEqual(
      found.map(({ id }) => id),
      expected.map(({ id }) => id),
    )
    expected.forEach((document, i) => this.#compare(document, one, found[i]))
    const others = await this.#ask(this.#stranger, 'GET', '/v1/documents?limit=100')
    assert.deepEqual(others.body.data, [])
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- an answer
  #compare(document: ModelDocument, one: 0 | 1, shown: any): void {
    const isIssuer = document.issuer === one
    const totals = totalsOf(document.lines)
    const expected = {
      id: document.id,
      status: document.status,
      revision: document.revision,
      direction: isIssuer ? 'issued' : 'received',
      number: document.numbers[one],
      issuer_number: document.numbers[document.issuer],
      allowed_transitions: allowedFor(document, one),
      ...totals,
      balance_due: totals.total,
      hasMetadata: isIssuer,
    }
    const fields = Object.keys(expected).slice(0, -1)
    const found = Object.fromEntries(fields.map((field) => [field, shown[field]]))
    assert.deepEqual({ ...found, hasMetadata: 'metadata' in shown }, expected)
  }

  /** What is kept for the counterparty holds none of it either. */
  async end(): Promise<void> {
    for (const one of [0, 1] as const) {
      const kept = await this.#running.database.rows<{ text: string }>(sql`
        select payload as text from events where organization_id = ${this.#actors[one].uuid}
        union all select p.shared_body || case when d.issuer_id = ${this.#actors[one].uuid}
          then p.issuer_body else p.counterparty_body end
        from prov_event p join documents d on d.id = p.document_id
        where ${this.#actors[one].uuid} in (d.issuer_id, d.counterparty_id)`)
      for (const { text } of kept) {
        for (const [word] of text.matchAll(/w[0-9a-f]{16}w/g)) assert(!this.#hidden[one].has(word))
      }
    }
  }
}
