/** Everything that an organization can read with the tools of the MCP server, as text. */
import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/client'
import { operations } from '../../../src/operations/index.ts'
import { inDays } from '../dates.ts'
import { connectMcp } from '../mcp/clients.ts'
import type { TestService } from '../test-service.ts'
import { type Reader, textOfPdf, untilAllIsTold } from './everything-readable.ts'

type Values = Readonly<Record<string, string | number>>

interface Tool {
  name: string
  path: string
  required: readonly string[]
  properties: Readonly<Record<string, { enum?: readonly string[] }>>
}

/** They show nothing of an organization, or of one request alone. */
const skipped = new Set([
  'tools_explain',
  'specification_get',
  'enablement_get',
  'sandbox_clock_get',
  'log_keys',
  'log_checkpoint',
  'log_consistency',
  'log_epochs',
  'idempotency_get',
  // The canaries look for each of their words with it.
  'search',
])

/** For what no list and no enumeration offers. */
const fixedValues: Readonly<Record<string, readonly string[]>> = {
  seq: ['1'],
  from: [inDays(-2)],
  to: [inDays(0)],
  last_event_id: ['0'],
}

const toolsOf = async (client: Client): Promise<Tool[]> => {
  const byName = new Map(operations.map(({ id, path }) => [id.replaceAll('.', '_'), path]))
  const { tools } = await client.listTools()
  const read = tools.filter(({ name }) => !skipped.has(name))
  const depth = ({ path }: Tool) => path.split('{').length
  return read
    .map(({ name, inputSchema }) => {
      const { required = [], properties = {} } = inputSchema
      return {
        name,
        required,
        properties: properties as Tool['properties'],
        path: byName.get(name)!,
      }
    })
    .toSorted((one, other) => depth(one) - depth(other))
}

const filled = (path: string, values: Values): string =>
  path.replaceAll(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))

/** Each list of arguments: the records that were listed, with each of the enumerated values. */
const argumentsOf = (
  { path, properties, required }: Tool,
  listed: ReadonlyMap<string, ReadonlySet<string>>,
): Values[] => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const chosen = ['format', 'last_event_id'].filter((name) => name in properties)
  const names = new Set([...inPath, ...required, ...chosen])
  let all: Values[] = ['limit' in properties ? { limit: 100 } : {}]
  for (const name of names) {
    all = all.flatMap((values) => {
      const list = filled(path, values).split(`/{${name}}`)[0]!
      const given = fixedValues[name] ?? properties[name]?.enum ?? listed.get(list) ?? []
      return [...given].map((value) => ({ ...values, [name]: value }))
    })
  }
  return all
}

/** Exports that the document does not have, or that lack a profile. */
const mayRefuse = ['documents_render', 'documents_checks']

type Result = Awaited<ReturnType<Client['callTool']>>

/** All of a result; a PDF is a resource. */
const textOf = (result: Result): string => {
  const pdfs = result.content.flatMap((part) =>
    part.type === 'resource' && 'blob' in part.resource ? [part.resource.blob] : [],
  )
  const shown = pdfs.map((blob) => textOfPdf(Buffer.from(blob, 'base64')))
  return [JSON.stringify(result), ...shown].join('\n')
}

interface Row {
  id: string
  listing_id?: string
}

/** The result of each tool that reads, for every record that the caller is shown. */
export const everythingOverMcp = async (
  running: TestService,
  reader: Reader,
): Promise<ReadonlyMap<string, string>> => {
  await untilAllIsTold(running, reader)
  const client = await connectMcp(running, reader.session, { path: '/readonly' })
  const listed = new Map<string, Set<string>>()
  const list = (path: string, id: string) =>
    listed.set(path, (listed.get(path) ?? new Set()).add(id))
  const texts = new Map<string, string>()
  for (const tool of await toolsOf(client)) {
    for (const values of argumentsOf(tool, listed)) {
      const result = await client.callTool({ name: tool.name, arguments: values })
      const text = textOf(result)
      assert(result.isError !== true || mayRefuse.includes(tool.name), `${tool.name}: ${text}`)
      const path = filled(tool.path, values)
      const { data, has_more = false } = (result.structuredContent ?? {}) as {
        data?: unknown
        has_more?: boolean
      }
      assert.equal(has_more, false, `${path} is read whole`)
      for (const { id, listing_id } of Array.isArray(data) ? (data as readonly Row[]) : []) {
        list(path, id)
        if (listing_id !== undefined) list('/v1/finance/listings', listing_id)
      }
      texts.set(`${tool.name} ${path} ${JSON.stringify(values)}`, text)
    }
  }
  return texts
}
