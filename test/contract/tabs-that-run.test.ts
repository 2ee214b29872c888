/**
 * clients.md 5: no example is wrong. The tabs of the reference run against the service, as they
 * stand but for the ids of the example story and of its records. Writes are dry runs, which take
 * every check and change nothing: each language finds the same records as they were made.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { scopeNames } from '../../src/contract/scopes.ts'
import { exampleCallOf, exampleVariables } from '../../src/docs/languages/example-call.ts'
import { isLive, takesIdempotencyKey, isVersioned } from '../../src/docs/operation-facts.ts'
import { docsOf } from '../../src/docs/table-of-contents.ts'
import { operations } from '../../src/operations/index.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { callApi } from '../support/api-client.ts'
import { always } from '../support/approvals/keys-that-ask.ts'
import { examplesFolder } from '../support/contract/example-programs.ts'
import { referenceTabsOf, runTabs, strictCurl, tabIn } from '../support/contract/reference-tabs.ts'
import { enableFinance } from '../support/finance/loans.ts'
import {
  type Pair,
  aKey,
  aPair,
  anInvoice,
  anOrganization,
  connectPair,
} from '../support/fixtures.ts'
import { type ExampleCall, exampleCalls } from '../support/http/example-calls.ts'
import { connectMcp } from '../support/mcp/clients.ts'
import { startProxy } from '../support/mcp/authorizing-proxy.ts'
import { payablePath } from '../support/payments/payable-documents.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { baseUrl } = running
const pair = await aPair(running)
/** For the writes: only the newest few example endpoints of an organization are kept. */
const other = await aPair(running)
const demo = await anOrganization(running, { isDemo: true })
const otherDemo = await connectPair(running, other.issuer, demo)
await enableFinance(running, other.issuer.key)
const rehearsal = await startProxy(running, { 'svc-dry-run': 'true' })
const referenceTabs = referenceTabsOf(docsOf(operations, readConfig({ BASE_URL: baseUrl })))
const folder = examplesFolder()
/** A key sees the approvals that it has asked for itself, so the one of the examples asks. */
const { secret: asking } = await aKey(running, pair.issuer, scopeNames, { approval: always })
/** Without a limit, no tool that pays is offered. */
const { secret: paying } = await aKey(running, other.issuer, scopeNames, {
  maxPerPayment: 100_000_000n,
})
const environmentOf = (key: string, { issuer }: Pair, url: string) => ({
  API_KEY: key,
  DOCEX_API_KEY: key,
  DOCEX_BASE_URL: url,
  ADMIN_SESSION_TOKEN: issuer.session,
})

/** Where the example calls of other tests have no record, or not in the state of the example. */
const ownCalls: Readonly<Record<string, () => Promise<Pick<ExampleCall, 'path' | 'body'>>>> = {
  'approvals.get': async () => {
    const path = await payablePath(running, pair)
    const { body } = await callApi(running, 'POST', path, { key: asking })
    return { path: `/v1/approvals/${body.error.details.approval.id}` }
  },
  'documents.receipt': async () => ({
    path: `/v1/documents/${(await anInvoice(running, pair)).id}/receipts/2`,
  }),
  'documents.transition': async () => {
    const { issuer: counterparty, counterparty: issuer } = other
    const bill = await anInvoice(running, { ...other, issuer, counterparty })
    return { path: `/v1/documents/${bill.id}/transition` }
  },
  'sandbox.demo.transition': async () => {
    const byHand = { external_refs: { sandbox_scenario: 'manual' } }
    const { id } = await anInvoice(running, otherDemo, byHand)
    return { path: '/v1/sandbox/demo/transitions', body: { document_id: id } }
  },
}

const served = operations.filter((operation) => isVersioned(operation) && !isLive(operation))
const reads = served.filter(({ method }) => method === 'GET')
const writes = served.filter(takesIdempotencyKey)

/** The values of the parameters in a path: of `{id}` in `/v1/documents/{id}`. */
const valuesIn = ({ path }: Operation, filled: string): Readonly<Record<string, string>> =>
  new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(filled.split('?')[0]!)
    ?.groups ?? {}

const isReference = /^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$|^sha256:/

/** Each id and digest of the example, and that of a record of the same kind that exists. */
const recordsOf = async (operation: Operation): Promise<[told: string, real: string][]> => {
  const on = operation.method === 'GET' ? pair : other
  const { id } = operation
  const { path, body } = await (ownCalls[id]?.() ?? exampleCalls[id]!(running, on))
  if (id === 'documents.import') {
    const file = (body as FormData).get('file') as File
    writeFileSync(join(folder, 'invoice.xml'), await file.text())
  }
  const told = exampleCallOf(operation, baseUrl)
  const inBody = { connection_id: on.connection, ...(body as Record<string, string>) }
  const real: Readonly<Record<string, string>> = { ...inBody, ...valuesIn(operation, path) }
  const references = Object.entries({ ...told.body, ...told.path }).filter(
    ([name, value]) => name in told.path || isReference.test(String(value)),
  )
  return references.map(([name, value]) => [String(value), real[name]!])
}

const records = new Map<string, [told: string, real: string][]>()
for (const operation of [...reads, ...writes]) {
  records.set(operation.id, await recordsOf(operation))
}

const anyId = /\b([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g

/** A record of each kind, for the ids in queries. */
const ofKind = new Map(
  reads
    .flatMap(({ id }) => records.get(id)!)
    .flatMap(([, real]) => {
      const kind = real.match(/^[a-z]+(?=_[0-9a-z]{26}$)/)?.[0]
      return kind === undefined ? [] : [[kind, real] as const]
    }),
)

/** The variables of the reader's shell, with the records that they name here. */
const variablesOf = (id: string, text: string): [name: string, real: string][] =>
  Object.entries(exampleVariables)
    .filter(([name]) => text.includes(name))
    .map(([name, told]) => {
      const known = records.get(id)!.find((one) => one[0] === told)?.[1]
      return [name, known ?? ofKind.get(told.split('_')[0]!)!]
    })

const assignments = {
  TypeScript: ([name, real]) => `process.env['${name}'] = '${real}'`,
  Python: ([name, real]) => `from os import environ\nenviron["${name}"] = "${real}"`,
} satisfies Record<string, (variable: [name: string, real: string]) => string>

const withRecords = (id: string, text: string): string =>
  [
    ...variablesOf(id, text).map(([name, real]) => [`$${name}`, real] as const),
    ...records.get(id)!.filter(([told, real]) => told !== real),
  ]
    .reduce((filled, [told, real]) => filled.replaceAll(told, real), text)
    .replaceAll(anyId, (one, kind: string) =>
      text.includes(one) ? (ofKind.get(kind) ?? one) : one,
    )

/** Names of hosts that nobody resolves here. */
const withHosts = (text: string): string =>
  text.replaceAll(baseUrl, rehearsal).replace('https://example.com/', 'https://public.example/')

const textsOf = (label: string, list: readonly Operation[]): string[] => [
  ...(label === 'curl' ? [strictCurl] : []),
  ...list.map(({ id }) => {
    const text = tabIn(referenceTabs(id), label)
    const assign = assignments[label as keyof typeof assignments]
    const assigned = assign === undefined ? [] : variablesOf(id, text).map(assign)
    return [...assigned, withRecords(id, text)].join('\n')
  }),
]

const importedFile = () => readFileSync(join(folder, 'invoice.xml'), 'base64')

interface ToolCall {
  name: string
  arguments: Readonly<Record<string, unknown>>
}

describe('what the tabs are answered', { concurrency: true }, () => {
  for (const label of ['curl', 'TypeScript', 'Python', 'CLI'] as const) {
    test(`${label}: every read succeeds`, async () => {
      assert(reads.length > 50)
      await runTabs(label, textsOf(label, reads), folder, environmentOf(asking, pair, baseUrl))
    })

    test(`${label}: every write would succeed`, async () => {
      assert(writes.length > 50)
      const texts = textsOf(label, writes).map(withHosts)
      await runTabs(label, texts, folder, environmentOf(paying, other, rehearsal))
    })
  }

  test('MCP tool: every call is a read that succeeds, or a write that would', async () => {
    for (const [list, key, { issuer }] of [
      [reads, asking, pair],
      [writes, paying, other],
    ] as const) {
      const [ofKey, ofPerson] = [
        await connectMcp(running, key),
        await connectMcp(running, issuer.session),
      ]
      for (const operation of list.filter(({ allowed }) => allowed !== 'approver')) {
        const text = withHosts(
          withRecords(operation.id, tabIn(referenceTabs(operation.id), 'MCP tool')),
        )
        const { name, arguments: values } = JSON.parse(text) as ToolCall
        const { credential } = exampleCallOf(operation, baseUrl)
        const client = credential === 'ADMIN_SESSION_TOKEN' ? ofPerson : ofKey
        const more = {
          ...(list === writes ? { dry_run: true } : {}),
          // The example has the beginning of a file.
          ...(name === 'documents_import' ? { data_base64: importedFile() } : {}),
        }
        const answer = await client.callTool({ name, arguments: { ...values, ...more } })
        assert(answer.isError !== true, `${name} ${JSON.stringify(answer.content)}`)
      }
    }
  })
})
