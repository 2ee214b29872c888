/** How to read lists, and how to find what has changed. */
import type { Config } from '../../config.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { limits } from '../../contract/limits.ts'
import { turns } from '../../contract/work-classes.ts'
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
      'Filters that accept several values take a comma-separated list, in any order: `status=submitted,approved`, or the same as `status=submitted&status=approved`.',
      '`since` and `until` apply to the document date, both inclusive.',
      '`fields=id,total,counterparty.name` shows only these fields of each row. It is no filter: a cursor goes on with other fields, or without them. The OpenAPI document describes whole rows, so a client that checks responses by it must not check these.',
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
    text(
      `\`GET /v1/documents.csv\` and \`GET /v1/payments.csv\` are the lists as files, with the same filters, rows and order: CSV (RFC 4180, UTF-8) with a header, whose columns are fields of the rows; of a payment, \`document_number\` and \`counterparty.name\` are those of its document. New columns are only ever added at the end. Amounts have two decimals. A text that a spreadsheet would calculate [is preceded by an apostrophe](#csv-cells). A file has at most ${interopLimits.downloadMaxRows} rows: if more match, the request is refused, so narrow the filters. It is sent while it is read, so it has no \`Content-Length\`; if something fails meanwhile, the connection is cut, and your HTTP client reports an incomplete response. An organization has ${turns.listDownloads.runningPerOrganization} downloads at a time; ${turns.listDownloads.waitingPerOrganization} more wait for at most ${turns.listDownloads.waitMaxMs / 1000} s, and others get 503 with \`Retry-After\`.`,
    ),
    text(
      '`GET /v1/treasury/accounts/{id}/statement` is a file as well: the opening balance, what was posted from one day to another, and the closing balance, as CSV or as camt.053.001.08 (ISO 20022). Each entry has the number of its document and the name of the other party; in camt.053, that is the debtor of what comes in and the creditor of what goes out, and what is returned keeps the roles of the transfer. The days are those of `effective_at`, in UTC. Every entry is checked against the one before it; if one is missing or was changed, the statement is refused or cut off.',
    ),
  ],
})
