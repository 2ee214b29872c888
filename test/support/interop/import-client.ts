/** Sends files to the import, and makes them out of exports. */
import { type Reply, callApi } from '../api-client.ts'
import { type Pair, anInvoice } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

export const formWith = (content: string | Uint8Array, connection?: string): FormData => {
  const form = new FormData()
  if (connection !== undefined) form.append('connection_id', connection)
  form.append('file', new Blob([content as string]), 'invoice.xml')
  return form
}

export const exportOf = async (
  running: TestService,
  { issuer }: Pair,
  { id }: { id: string },
  format: string,
): Promise<string> => {
  const path = `/v1/documents/${id}/render?format=${format}`
  return (await callApi(running, 'GET', path, { key: issuer.key })).text
}

export const importFile = (
  running: TestService,
  { issuer, connection }: Pair,
  content: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  callApi(running, 'POST', '/v1/documents/import', {
    key: issuer.key,
    body: formWith(content, connection),
    headers,
  })

/** An invoice of the pair as CSV, which names no profile. */
export const anImportForm = async (running: TestService, pair: Pair): Promise<FormData> =>
  formWith(await exportOf(running, pair, await anInvoice(running, pair), 'csv'), pair.connection)
