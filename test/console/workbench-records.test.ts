/** What the Workbench counts and keeps. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RequestLogEntry } from '../../sdk/src/generated/types.ts'
import {
  forgetMadeCalls,
  madeCalls,
  madeCallsMost,
  noteCall,
} from '../../console/src/api/made-calls.ts'
import { errorGroups, pathFilterOf } from '../../console/src/workbench/error-groups.ts'

const refused = (path: string, more: Partial<RequestLogEntry> = {}): RequestLogEntry => ({
  id: `req_${path}`,
  method: 'GET',
  path,
  status: 404,
  error_code: 'not_found',
  key_id: 'key_1',
  duration_ms: 1,
  idempotency_key: null,
  user_id: null,
  address: null,
  original_request_id: null,
  document_id: null,
  event_ids: [],
  created_at: '2026-11-21T12:00:00.000Z',
  ...more,
})

const id = (end: string) => `doc_01m8fa1yr5f3x9g3gdd516m7q${end}`

describe('refused requests', () => {
  test('console 1.6: they are grouped by code, endpoint and key, with first, last and count', () => {
    const groups = errorGroups([
      refused(`/v1/documents/${id('1')}`, { created_at: '2026-11-21T12:00:03.000Z' }),
      refused(`/v1/documents/${id('2')}/issue`, { method: 'POST' }),
      refused(`/v1/documents/${id('3')}`, { created_at: '2026-11-21T12:00:01.000Z' }),
      refused(`/v1/documents/${id('4')}`, { key_id: null }),
    ])
    assert.deepEqual(
      groups.map(({ method, endpoint, keyId, count }) => [method, endpoint, keyId, count]),
      [
        ['GET', '/v1/documents/{id}', 'key_1', 2],
        ['POST', '/v1/documents/{id}/issue', 'key_1', 1],
        ['GET', '/v1/documents/{id}', null, 1],
      ],
    )
    const [first] = groups
    assert.equal(first!.last, '2026-11-21T12:00:03.000Z')
    assert.equal(first!.first, '2026-11-21T12:00:01.000Z')
    assert.equal(pathFilterOf(first!), '/v1/documents/*')
  })

  test('a refusal without a code is known by its status', () => {
    const [group] = errorGroups([refused('/v1/documents', { status: 502, error_code: null })])
    assert.deepEqual([group!.code, pathFilterOf(group!)], ['502', '/v1/documents'])
  })
})

test('console 1.6: of the calls of a tab, the latest are kept, and how many there were', () => {
  // Other files in this process may have called something.
  forgetMadeCalls()
  const count = madeCallsMost + 20
  for (let i = 1; i <= count; i += 1)
    noteCall({ method: 'GET', url: `/v1/${i}`, status: 200, ms: 1, requestId: null, page: '/app' })
  const [newest] = madeCalls()
  assert.deepEqual([newest!.url, newest!.place], [`/v1/${count}`, count])
  assert.deepEqual([madeCalls().length, madeCalls().at(-1)!.url], [madeCallsMost, '/v1/21'])
  forgetMadeCalls()
  assert.deepEqual(madeCalls(), [])
})
