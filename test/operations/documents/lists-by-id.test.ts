/** Documents of the list by their ids (docs/decisions/0174). */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { callApi } from '../../support/api-client.ts'
import { assertProblems } from '../../support/http/error-responses.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { type TestOrganization, aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const [mine, strangers] = [await aPair(running), await aPair(running)]
const { issuer, counterparty } = mine
const [hidden, shown] = [await aDraft(running, mine), await anInvoice(running, mine)]

const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id)

const listed = async ({ key }: Pick<TestOrganization, 'key'>, query: string) =>
  idsOf(await allPages(running, key, `/v1/documents?${query}`))

test('?id= finds no draft of the other side and nothing of strangers, whatever their places', async () => {
  const foreign = [await aDraft(running, strangers), await anInvoice(running, strangers)]
  const query = `id=${idsOf([hidden, shown, ...foreign]).join(',')}`
  for (const more of ['', '&sort=updated', '&limit=1']) {
    assert.deepEqual(await listed(counterparty, query + more), [shown.id], more)
  }
  assert.deepEqual(await listed(issuer, query), [shown.id, hidden.id])
})

test('a search and ?id= find what is in both', async () => {
  const { number } = (
    await callApi(running, 'GET', `/v1/documents/${shown.id}`, { key: issuer.key })
  ).body
  assert.deepEqual(await listed(issuer, `id=${shown.id}&query=${number}`), [shown.id])
  assert.deepEqual(await listed(issuer, `id=${hidden.id}&query=${number}`), [])
})

test('?id= takes as many ids as any filter takes values, and names the limit', async () => {
  const unknown = (count: number) =>
    Array.from({ length: count }, () => encodeId('doc', randomUUID()))
  const most = [shown.id, ...unknown(limits.listFilterMaxValues - 1)]
  assert.deepEqual(await listed(issuer, `id=${most.join(',')}`), [shown.id])
  const query = [...most, ...unknown(1)].join(',')
  const refused = await callApi(running, 'GET', `/v1/documents?id=${query}`, { key: issuer.key })
  const [problem] = assertProblems(refused, 'id out_of_range')
  assert.match(problem!.fix!, /50/)
})
