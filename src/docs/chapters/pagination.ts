/** How to read lists, and how to find what has changed. */
import type { Config } from '../../config.ts'
import { limits } from '../../contract/limits.ts'
import { curl } from '../examples/curl.ts'
import { type Section, code, json, list, steps, text } from '../blocks.ts'

export const pagination = ({ baseUrl }: Config): Section => ({
  id: 'pagination',
  title: 'Pagination and catching up',
  blocks: [
    text(
      `List endpoints return \`data\`, \`next_cursor\` and \`has_more\`, newest first. \`limit\` can be ${limits.pageMin} to ${limits.pageMax} and defaults to ${limits.pageDefault}.`,
    ),
    steps(
      'Request the first page without `cursor`.',
      'Send `next_cursor` back unchanged as `cursor`, with the same filters.',
      'Stop when `next_cursor` is null. A short page is not the end.',
    ),
    list(
      'Pages do not overlap, and records created while you page through a list do not shift the pages that you have read.',
      'A cursor belongs to its query. After changing a filter, start again without a cursor; otherwise the response is [invalid_request](#errors-invalid_request) with `invalid_cursor`.',
      'Filters that accept several values take a comma-separated list, in any order: `status=submitted,approved`.',
      '`since` and `until` apply to the document date, both inclusive.',
      '`fields=id,total,counterparty.name` shows only these fields of each row. It is no filter: a cursor goes on with other fields, or without them.',
    ),
    text(
      'To find what has changed, use `sort=updated` with `updated_since`, on documents and on payments. The oldest change comes first, and what changes while you read comes again at the end. Start the next sweep with the newest `updated_at` that you have read. `updated_since` is inclusive and exact to the millisecond, so you read that record again and miss nothing. Do not sweep a list in its usual order: it is ordered by creation, and a page that you have read may change behind you.',
    ),
    code(
      'sh',
      curl({
        method: 'GET',
        url: `${baseUrl}/v1/documents?sort=updated&updated_since=2026-11-21T09:00:00Z&limit=100`,
        credential: 'API_KEY',
      }),
    ),
    json({ data: ['…'], next_cursor: 'kq3v…', has_more: true }),
  ],
})
