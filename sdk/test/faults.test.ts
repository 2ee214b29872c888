/** Each intention has exactly one effect, whatever happens on the way (contract 5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { ApiError, ConnectionError, DocexError, TimeoutError } from '../src/index.ts'
import type { Fault } from './support/fault-server.ts'
import { startFaultyService } from './support/faulty-service.ts'

const { faulty, pair, client, play, body, documentsWith } = await startFaultyService()

/** Gives up an attempt that hangs, and on a busy machine also one that is only slow. */
const impatient = () => client({ timeoutMs: 1_500, maxRetries: 9 })

/** The attempts that were spoilt or have succeeded; the others were only slow. */
const attempts = () =>
  faulty.requests.filter(({ fault, hasSucceeded }) => fault !== 'none' || hasSucceeded).length

let serial = 0
const freshNotes = () => `Intention ${(serial += 1)}.`

const keysSent = () =>
  new Set(
    faulty.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ headers }) => headers['idempotency-key']),
  )

const retried: Fault[] = [
  ...(['hangsBefore', 'hangsAfter', 'resetsBefore', 'resetsAfter', 'truncates'] as const),
  ...(['truncatesSilently', 'isEmpty'] as const),
  ...(['isRateLimited', 'isUnavailable', 'isInProgress'] as const),
]

describe('an intention has one effect and one Idempotency-Key', () => {
  for (const [i, first] of retried.entries()) {
    test(`when the first attempt ${first}, whatever the second does`, async () => {
      // A hanging attempt takes its whole time, so without LONG=1 every other first has one.
      const isHanging = process.env['LONG'] === '1' || i % 2 === 1
      for (const second of isHanging ? (['none', 'hangsAfter'] as const) : (['none'] as const)) {
        const notes = freshNotes()
        play(first, second)
        const { id } = await impatient().documents.create({ ...body, notes })
        assert.equal(await documentsWith(notes), 1)
        assert.equal(keysSent().size, 1)
        assert.equal(attempts(), second === 'none' ? 2 : 3)
        play(first)
        const issued = await impatient().documents.issue(id)
        assert.equal(issued.revision, 2)
      }
    })
  }

  test('an upload too', async () => {
    const { id } = await client().documents.create(body)
    play('resetsAfter', 'truncates')
    const file = { filename: 'order.txt', content: 'Twelve shelves', contentType: 'text/plain' }
    const attached = await client().attachments.create(id, file)
    assert.equal(attached.size, 14)
    assert.equal((await client().attachments.list(id).toArray()).length, 1)
    assert.equal(keysSent().size, 1)
  })

  test('two equal calls are two intentions', async () => {
    const notes = freshNotes()
    play()
    await Promise.all([1, 2].map(() => client().documents.create({ ...body, notes })))
    assert.equal(await documentsWith(notes), 2)
  })

  test('a replay says so', async () => {
    play('resetsAfter')
    const notes = freshNotes()
    const { replayed, requestId, status } = await client()
      .documents.create({ ...body, notes })
      .withResponse()
    assert.equal(replayed, true)
    assert.equal(status, 201)
    assert.match(requestId, /^req_/)
  })
})

test('a file whose end is missing is asked for again, also behind a proxy that compresses', async () => {
  play()
  await client().documents.create({ ...body, notes: freshNotes() })
  const whole = await client().documents.csv()
  for (const fault of ['truncates', 'truncatesCompressed'] as const) {
    play(fault)
    assert.equal(await client().documents.csv(), whole)
    assert.equal(faulty.requests.length, 2, fault)
    play(fault)
    await assert.rejects(client({ maxRetries: 0 }).documents.csv(), ConnectionError)
  }
})

describe('nothing else is repeated', () => {
  test('a refusal that may not succeed later', async () => {
    play()
    const refused = client().documents.issue('doc_00000000000000000000000000')
    await assert.rejects(refused, (error: unknown) => {
      assert(error instanceof ApiError)
      assert(error.is('not_found'))
      assert.equal(error.details.resource, 'document')
      assert.equal(error.status, 404)
      assert.match(error.docsUrl, /#errors-not_found$/)
      return true
    })
    assert.equal(faulty.requests.length, 1)
  })

  test('an answer that is not one of the service', async () => {
    play('isNotJson')
    await assert.rejects(client().me.get().withResponse(), ConnectionError)
    assert.equal(faulty.requests.length, 1)
  })

  test('an attempt beyond maxRetries, and the error has the key of the intention', async () => {
    const notes = freshNotes()
    play('hangsAfter', 'hangsAfter')
    const failed = await client({ timeoutMs: 1_500, maxRetries: 1 })
      .documents.create({ ...body, notes })
      .catch((error: unknown) => error)
    assert(failed instanceof TimeoutError)
    assert.equal(faulty.requests.length, 2)
    const { idempotencyKey } = failed
    assert(idempotencyKey !== undefined)
    await client().documents.create({ ...body, notes }, { idempotencyKey })
    assert.equal(await documentsWith(notes), 1)
  })

  for (const [faults, may] of [
    [['isForbidden'], false],
    [['isDamaged'], false],
    [['isUnavailable', 'isUnauthorized'], true],
    [['resetsBefore', 'isForbidden'], true],
    [['resetsAfter', 'isDamaged'], true],
    [['resetsAfter', 'resetsAfter', 'resetsAfter'], true],
  ] as const) {
    test(`an error says whether an attempt may have taken effect: ${faults.join(', ')}`, async () => {
      play(...faults)
      const failed = await client()
        .documents.create({ ...body, notes: freshNotes() })
        .catch((error: unknown) => error)
      assert(failed instanceof DocexError)
      assert.equal(failed.mayHaveTakenEffect, may)
      play(...faults)
      const tried = await client()
        .documents.create(body, { dryRun: true })
        .catch((error: unknown) => error)
      assert(tried instanceof DocexError && !tried.mayHaveTakenEffect)
    })
  }

  test('a call has all the time there is, or at least some', async () => {
    play()
    const { organization } = await client().me.get({ timeoutMs: Infinity })
    assert.equal(organization.id, pair.issuer.id)
    await client({ timeoutMs: 2 ** 31 }).me.get()
    for (const timeoutMs of [0, -1, NaN])
      assert.throws(() => client({ timeoutMs }), /`timeoutMs` takes/)
    assert.equal(faulty.requests.length, 2)
  })

  test('a call that would be repeated without end', async () => {
    play()
    for (const maxRetries of [NaN, -1, 1.5, Infinity, '2' as unknown as number]) {
      assert.throws(() => client({ maxRetries }), /^TypeError: `maxRetries` takes/)
      await assert.rejects(client().me.get({ maxRetries }), /^TypeError: `maxRetries` takes/)
    }
    assert.equal(faulty.requests.length, 0)
  })

  test('a write of which it is not clear whether it is a dry run', async () => {
    play()
    for (const given of ['true', 1, 0]) {
      const dryRun = given as unknown as boolean
      const call = client().documents.create(body, { dryRun })
      await assert.rejects(call, /^TypeError: `dryRun` takes true or false/)
    }
    assert.equal(faulty.requests.length, 0)
  })

  test('an option that is null is as one that is not given', async () => {
    play('isUnavailable')
    const nothing = null as unknown as undefined
    const options = { timeoutMs: nothing, maxRetries: nothing, dryRun: nothing }
    const notes = freshNotes()
    await client().documents.create({ ...body, notes }, options)
    assert.equal(faulty.requests.length, 2)
    assert.equal(await documentsWith(notes), 1)
  })

  test('a call that its caller aborts', async () => {
    play('hangsBefore')
    const reason = new Error('The user has closed the page.')
    const closed = new AbortController()
    const call = client().me.get({ signal: closed.signal, timeoutMs: 60_000 })
    const refused = assert.rejects(call, reason)
    await until('the request arrives', () => faulty.requests.length === 1)
    closed.abort(reason)
    await refused
    const aborted = client().me.get({ signal: AbortSignal.abort(reason) })
    await assert.rejects(aborted, reason)
    assert.equal(faulty.requests.length, 1)
  })
})
