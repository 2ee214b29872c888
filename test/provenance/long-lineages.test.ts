/** The lineage of documents with long histories: bounded, and as fast as what it shows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import {
  type LineageNode,
  reciprocalLink,
  recordedLinks,
} from '../../src/core/provenance/lineage.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()

test('3: lineage reads a bounded number of events, and the shortest histories first', async () => {
  const pair = await aPair(running)
  const order = await anInvoice(running, pair)
  const references = [{ rel: 'relates_to', document_id: order.id }]
  const long = await anInvoice(running, pair, { references })
  const short = await anInvoice(running, pair, { references })
  // It would not verify, so it is not read.
  await runAndSeal(
    running.database,
    'documents',
    sql`update documents set head_seq = ${limits.lineageMaxEvents} where id = ${decodeId('doc', long.id)!}`,
  )
  const { key } = pair.issuer
  const { body } = await callApi(running, 'GET', `/v1/documents/${order.id}/lineage`, { key })
  const documents = body.steps.filter(({ kind }: { kind: string }) => kind === 'document')
  const shown = documents.map(({ document }: { document: { id: string } }) => document.id)
  assert.deepEqual([shown, body.truncated], [[order.id, short.id], true])
})

test('3: the links of a history are gathered once, however many documents ask for theirs', () => {
  const count = 100
  let looks = 0
  const linkTo = (stream: string, direction: 'from' | 'to', seq: number) => ({
    relation: 'related_to',
    direction,
    peer: { stream, seq: 1, hash: `${seq}`.padStart(64, '0') },
  })
  const eventOf = (seq: number, link: object) => ({
    hash: Buffer.from(`${seq}`.padStart(64, '0'), 'hex'),
    header: { seq, at: '2026-11-21' },
    get open() {
      looks += 1
      return { shared: { salt: '', body: { link } } }
    },
  })
  const nodeOf = (stream: string, links: object[]) => {
    const history = { stream, events: links.map((link, i) => eventOf(i + 1, link)) }
    return { history, links: recordedLinks(history as never) } as unknown as LineageNode
  }
  const children = Array.from({ length: count }, (_, i) =>
    nodeOf(`child ${i}`, [linkTo('hub', 'from', 1)]),
  )
  const links = children.map(({ history }) => linkTo(history.stream, 'to', 1))
  const hub = nodeOf('hub', links)
  for (const child of children) {
    const [link] = child.links.all
    assert.equal(reciprocalLink(link!, child, hub).peer.stream, child.history.stream)
  }
  assert(looks <= 3 * count, `${looks} looks at ${2 * count} events`)
})
