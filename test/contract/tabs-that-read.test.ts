/**
 * clients.md 5: no example is wrong. The tabs of every read in the reference run against the
 * service, as they stand but for the ids of the example story and of its records.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { scopeNames } from '../../src/contract/scopes.ts'
import { exampleCallOf } from '../../src/docs/languages/example-call.ts'
import { isLive } from '../../src/docs/operation-facts.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { operations } from '../../src/operations/index.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { callApi } from '../support/api-client.ts'
import { always } from '../support/approvals/keys-that-ask.ts'
import { examplesFolder } from '../support/contract/example-programs.ts'
import { referenceTabsOf, runTabs, tabIn } from '../support/contract/reference-tabs.ts'
import { aKey, aPair, anInvoice } from '../support/fixtures.ts'
import { exampleCalls } from '../support/http/example-calls.ts'
import { payablePath } from '../support/payments/payable-documents.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { baseUrl } = running
const pair = await aPair(running)
const referenceTabs = referenceTabsOf(docsOf(operations, readConfig({ BASE_URL: baseUrl })))
const folder = examplesFolder()
/** A key sees the approvals that it has asked for itself, so the one of the examples asks. */
const { secret: key } = await aKey(running, pair.issuer, scopeNames, { approval: always })
const environment = {
  ...{ API_KEY: key, DOCEX_API_KEY: key, DOCEX_BASE_URL: baseUrl },
  ADMIN_SESSION_TOKEN: pair.issuer.session,
}

/** Paths of records that the example calls of other tests do without. */
const ownPaths: Readonly<Record<string, () => Promise<string>>> = {
  'approvals.get': async () => {
    const { body } = await callApi(running, 'POST', await payablePath(running, pair), { key })
    return `/v1/approvals/${body.error.details.approval.id}`
  },
  'documents.receipt': async () =>
    `/v1/documents/${(await anInvoice(running, pair)).id}/receipts/2`,
}

const reads = operations.filter(
  (operation) =>
    operation.method === 'GET' && operation.isUnversioned !== true && !isLive(operation),
)

/** The values of the parameters in a path: of `{id}` in `/v1/documents/{id}`. */
const valuesIn = ({ path }: Operation, filled: string): Readonly<Record<string, string>> =>
  new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(filled.split('?')[0]!)
    ?.groups ?? {}

/** Each id of the example story, and the one of a record of the same kind that exists. */
const recordsOf = async (operation: Operation): Promise<[told: string, real: string][]> => {
  const { id } = operation
  const path = (await ownPaths[id]?.()) ?? (await exampleCalls[id]!(running, pair)).path
  const real = valuesIn(operation, path)
  const { path: told } = exampleCallOf(operation, baseUrl)
  return Object.entries(told).map(([name, value]) => [value, real[name]!])
}

const records = new Map<string, [told: string, real: string][]>()
for (const operation of reads) records.set(operation.id, await recordsOf(operation))

const anyId = /\b([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

/** A record of each kind, for the ids in queries. */
const ofKind = new Map(
  [...records.values()].flat().flatMap(([, real]) => {
    const kind = real.match(/^[a-z]+(?=_[0-9a-z]{26}$)/)?.[0]
    return kind === undefined ? [] : [[kind, real] as const]
  }),
)

const withRecords = (id: string, text: string): string =>
  records
    .get(id)!
    .filter(([told, real]) => told !== real)
    .reduce((filled, [told, real]) => filled.replaceAll(told, real), text)
    .replaceAll(anyId, (one, kind: string) =>
      text.includes(one) ? (ofKind.get(kind) ?? one) : one,
    )

/** A refusal ends the program, as it does in the other languages. */
const strictCurl = 'curl() { command curl -sS --fail-with-body -o /dev/null "$@"; }'

describe('what the tabs of reads are answered', () => {
  for (const label of ['curl', 'TypeScript', 'Python', 'CLI'] as const) {
    test(`${label}: every read succeeds`, async () => {
      assert(reads.length > 50)
      const texts = reads.map(({ id }) => withRecords(id, tabIn(referenceTabs(id), label)))
      await runTabs(label, label === 'curl' ? [strictCurl, ...texts] : texts, folder, environment)
    })
  }
})
