/** A key store: an intention has one effect, over restarts and refusals too (contract 5). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, test } from 'node:test'
import { callApi } from '../../test/support/api-client.ts'
import { aKeyThatAsks, aMember } from '../../test/support/approvals/keys-that-ask.ts'
import { anApprovedInvoice } from '../../test/support/payments/approved-invoices.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { FileKeyStore } from '../src/file-key-store.ts'
import { ApiError, ConnectionError } from '../src/index.ts'
import { startFaultyService } from './support/faulty-service.ts'

const { running, faulty, pair, client, play, body, documentsWith } = await startFaultyService()

let serial = 0
const freshNotes = () => `Kept intention ${(serial += 1)}.`

describe('DocexKeyStore', () => {
  test('an intention survives a restart, and its entry goes with its outcome', async () => {
    const path = `${temporaryFolder()}/keys.json`
    const notes = freshNotes()
    const before = client({ maxRetries: 0, keyStore: new FileKeyStore(path) })
    play('resetsAfter')
    await assert.rejects(before.documents.create({ ...body, notes }), ConnectionError)
    const after = client({ keyStore: new FileKeyStore(path) })
    const first = await after.documents.create({ ...body, notes }).withResponse()
    assert.equal(first.replayed, true)
    assert.equal(await documentsWith(notes), 1)
    assert.equal(await readFile(path, 'utf8'), '{}')
    await after.documents.create({ ...body, notes })
    assert.equal(await documentsWith(notes), 2, 'the next call is another intention')
  })

  for (const fault of ['truncatesSilently', 'isEmpty'] as const) {
    test(`the outcome of a write whose answer ${fault} is not known`, async () => {
      const notes = freshNotes()
      const docex = client({ maxRetries: 0, keyStore: new Map<string, string>() })
      play(fault)
      await assert.rejects(docex.documents.create({ ...body, notes }), ConnectionError)
      const { replayed } = await docex.documents.create({ ...body, notes }).withResponse()
      assert.equal(replayed, true)
      assert.equal(await documentsWith(notes), 1)
    })
  }

  test('a file that several stores write to stays whole', async () => {
    const path = `${temporaryFolder()}/keys.json`
    const stores = Array.from({ length: 5 }, () => new FileKeyStore(path))
    const names = Array.from({ length: 10 }, (_, i) => String(i))
    await Promise.all(stores.flatMap((one) => names.map((name) => one.set(name, 'key'))))
    for (const name of names) assert([undefined, 'key'].includes(await stores[0]!.get(name)))
    assert.deepEqual(await readdir(dirname(path)), ['keys.json'])
  })

  test('a file that cannot be written leaves no part of it', () => {
    const folder = temporaryFolder()
    const file = new URL('../src/file-key-store.ts', import.meta.url).href
    const program = `
      import { FileKeyStore } from '${file}'
      const store = new FileKeyStore('${folder}/keys.json')
      await store.set('one', 'key')
      await store.set('two', 'key'.repeat(5_000)).catch(({ code }) => console.log(code))`
    const argv = ['--input-type=module', '-e', program]
    const limited = ['-c', 'ulimit -f 4 && exec "$@"', 'sh', process.execPath, ...argv]
    assert.equal(execFileSync('sh', limited, { encoding: 'utf8' }), 'EFBIG\n')
    assert.deepEqual(readdirSync(folder), ['keys.json'])
  })

  test('equal writes at the same time stay two', async () => {
    const notes = freshNotes()
    play()
    const keyStore = new Map<string, string>()
    const clients = [client({ keyStore }), client({ keyStore })]
    await Promise.all(
      [...clients, ...clients].map((docex) => docex.documents.create({ ...body, notes })),
    )
    assert.equal(await documentsWith(notes), 4)
    assert.deepEqual([...keyStore.values()], [undefined])
  })

  test('of equal writes at the same time, each whose answer was lost finds its key', async () => {
    const notes = freshNotes()
    const keyStore = new Map<string, string>()
    const docex = client({ maxRetries: 0, keyStore })
    play('none', 'resetsAfter', 'resetsAfter')
    const made = [1, 2, 3].map(() => docex.documents.create({ ...body, notes }))
    const lost = (await Promise.allSettled(made)).filter(({ status }) => status === 'rejected')
    assert.equal(lost.length, 2)
    for (const _ of lost) {
      const again = await client({ keyStore })
        .documents.create({ ...body, notes })
        .withResponse()
      assert.equal(again.replayed, true)
    }
    assert.equal(await documentsWith(notes), 3)
    assert.deepEqual([...keyStore.values()], [undefined])
  })

  test('a body with its members in another order is the same write', async () => {
    const docex = client({ maxRetries: 0, keyStore: new Map<string, string>() })
    const created = { ...body, notes: freshNotes(), metadata: { a: 'b', c: 'd' } }
    play('resetsAfter')
    await assert.rejects(docex.documents.create(created), ConnectionError)
    const { connection_id, document_type, ...others } = created
    // Parsers of forms and queries make objects that have no prototype.
    const metadata = Object.assign(Object.create(null), { c: 'd', a: 'b' })
    await docex.documents.create({ ...others, metadata, document_type, connection_id })
    assert.equal(await documentsWith(created.notes), 1)
  })

  test('a write that is never sent leaves no entry, and takes none of an earlier one', async () => {
    const keyStore = new Map<string, string>()
    const docex = client({ keyStore, maxRetries: 0 })
    const unsent = [
      () => docex.documents.create({ ...body, exchange_rate: NaN } as never),
      () => docex.documents.create({ ...body, notes: 'Grüße' }, { idempotencyKey: 'ä' }),
      () => docex.documents.update('doc_1', { notes: 'A' }, { ifMatch: '"ä"' }),
      () => docex.documents.create(body, { signal: AbortSignal.abort() }),
    ]
    play()
    for (const write of unsent) {
      await assert.rejects(write)
      assert(
        [...keyStore.values()].every((entry) => entry === undefined),
        write.toString(),
      )
    }
    assert.equal(faulty.requests.length, 0)
    const notes = freshNotes()
    play('resetsAfter')
    await assert.rejects(docex.documents.create({ ...body, notes }), ConnectionError)
    const closed = AbortSignal.abort()
    await assert.rejects(docex.documents.create({ ...body, notes }, { signal: closed }))
    assert.equal((await docex.documents.create({ ...body, notes }).withResponse()).replayed, true)
    assert.equal(await documentsWith(notes), 1)
  })

  for (const refusal of ['isUnauthorized', 'isForbidden', 'isDamaged'] as const) {
    test(`a refusal that ${refusal} does not say what an earlier attempt did`, async () => {
      const notes = freshNotes()
      const keyStore = new Map<string, string>()
      play('resetsAfter', refusal)
      const refused = client({ keyStore }).documents.create({ ...body, notes })
      await assert.rejects(refused, ApiError)
      const docex = client({ keyStore })
      assert.equal((await docex.documents.create({ ...body, notes }).withResponse()).replayed, true)
      assert.equal(await documentsWith(notes), 1)
    })
  }

  test('a payment that waits for an approval keeps the key that a person approves', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const apiKey = await aKeyThatAsks(running, pair.counterparty)
    const approver = await aMember(running, pair.counterparty, 'approver')
    const docex = client({ apiKey, keyStore: new Map<string, string>() })
    play()
    const asked = async () => {
      const error: unknown = await docex.documents.pay(id).catch((one: unknown) => one)
      assert(error instanceof ApiError && error.is('conflict'))
      return error.details.approval!
    }
    const approval = await asked()
    assert(approval.page?.endsWith(`approval=${approval.id}`))
    assert.equal((await asked()).id, approval.id)
    const body = { digest: approval.digest }
    const path = `/v1/approvals/${approval.id}/approve`
    await callApi(running, 'POST', path, { key: approver.session, body })
    assert.equal((await docex.documents.pay(id)).balance_due, 0)
  })
})
