/** The limits and rate limits of this deployment. */
import type { Config } from '../../config.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { limits } from '../../contract/limits.ts'
import { turns } from '../../contract/work-classes.ts'
import { type Section, code, codeSpan, list, table, text } from '../blocks.ts'
import { durationText } from './duration.ts'

const { bodyMaxBytes, jsonMaxDepth, jsonMaxKeys, headerMaxBytes, headersMaxCount } = limits

const idleSeconds = limits.keepAliveTimeoutMs / 1000
const keepAliveHeader = `Keep-Alive: timeout=${idleSeconds}, max=${limits.requestsPerSocketMax}`

const characters = (count: number): string => `${count.toLocaleString('en-US')} characters`

export const limitsSection = (config: Config): Section => ({
  id: 'limits',
  title: 'Limits',
  blocks: [
    table(
      ['Limit', 'Value'],
      [
        [
          'Request body',
          `${bodyMaxBytes / 1024 / 1024} MiB; ${limits.signInBodyMaxBytes / 1024} KiB to sign in`,
        ],
        [
          'Attachment',
          `${limits.attachmentMaxBytes / 1024 / 1024} MiB, ${limits.attachmentsPerSideMax} per document from each side; ${turns.uploads.runningPerOrganization} uploads at a time, of at least ${limits.uploadMinBytesPerSecond / 1024} KiB per second; ${turns.fileDownloads.runningPerOrganization} downloads at a time, and ${turns.fileDownloads.waitingPerOrganization} more wait for at most ${turns.fileDownloads.waitMaxMs / 1000} s`,
        ],
        [
          'Imported file',
          `${interopLimits.importMaxBytes / 1024 / 1024} MiB; ${interopLimits.importTextMaxBytes / 1024 / 1024} MiB of XML or CSV, also of the XML in a PDF`,
        ],
        [
          'JSON nesting, keys and list entries',
          `${jsonMaxDepth} levels, ${jsonMaxKeys} keys and ${limits.jsonMaxEntries} entries in total`,
        ],
        [
          'Any JSON text, key and number, as written in the body',
          `${characters(limits.jsonTextMaxLength)}, ${limits.jsonKeyMaxLength} and ${limits.jsonNumberMaxLength}`,
        ],
        ['Problems listed in a refusal', String(limits.problemsListedMax)],
        [
          'Request headers',
          `${headersMaxCount} headers, ${headerMaxBytes / 1024} KiB, complete within ${limits.headersTimeoutMs / 1000} s`,
        ],
        ...documentLimits,
        [
          '`Idempotency-Key`',
          `${limits.idempotencyKeyMinLength} to ${characters(limits.idempotencyKeyMaxLength)}, stored for ${durationText(config.idempotencyRetentionMs)}`,
        ],
        [
          'Page size',
          `${limits.pageMin} to ${limits.pageMax} rows, ${limits.pageDefault} by default`,
        ],
        ['Values in a comma-separated filter', String(limits.listFilterMaxValues)],
        ['Webhook endpoints per organization', String(config.quotas.live.webhook_endpoints)],
        ['API key name', characters(limits.keyNameMaxLength)],
        ['`allowed_cidrs`', `${limits.allowedCidrsMax} ranges`],
        ['Grace period of a rotated key', durationText(config.keyRotationGraceMs)],
        ['Request timeout', `${limits.requestTimeoutMs / 1000} s`],
        [
          'Connection',
          `${limits.requestsPerSocketMax.toLocaleString('en-US')} requests; it closes after ${limits.keepAliveTimeoutMs / 1000} s without one`,
        ],
      ],
    ),
  ],
  sections: [connections],
})

const documentLimits: string[][] = [
  ['Line items per document', `${limits.lineItemsMin} to ${limits.lineItemsMax}`],
  ['Line description', characters(limits.descriptionMaxLength)],
  ['SKU', characters(limits.skuMaxLength)],
  ['Notes', characters(limits.notesMaxLength)],
  ['Payment terms', characters(limits.paymentTermsMaxLength)],
  ['Transition note', characters(limits.transitionNoteMaxLength)],
  ['References per document', String(limits.referencesMax)],
  ['Changes of a document', `${limits.changesPerDocumentMax} as a draft, as many later`],
  ['References to a document', `${limits.referencesPerSideMax} of each side`],
  [
    'Events of a document, before it takes no payment and no listing for a loan',
    limits.eventsOfDocumentMax.toLocaleString('en-US'),
  ],
  [
    '`external_refs`, `metadata`',
    `${limits.openMapMaxKeys} keys of ${characters(limits.openMapKeyMaxLength)}, values of ${characters(limits.openMapValueMaxLength)}`,
  ],
  ['Document date', `from ${limits.documentDateMin} to ten years from today`],
]

const connections: Section = {
  id: 'http-connections',
  title: 'HTTP connections',
  blocks: [
    text(
      'Keep connections open and reuse them. Every response that leaves its connection open says for how long, and for how many requests:',
    ),
    code('http', keepAliveHeader),
    list(
      'Close an idle connection a second before the service does, or repeat a request that meets a closing one, with the same Idempotency-Key.',
      'The last response before the service closes a connection, as when it is stopped, has `Connection: close`.',
      'With `Expect: 100-continue`, you are asked for the body once the credential, the path and the size are accepted. A refusal before that has no `100 Continue` and ends the connection: do not send the body.',
      'You may close your side of the connection after the request and wait for the response. Over HTTP/1.1, `102 Processing` may precede it. If you close the whole connection, a list is cancelled, and a write may have been made: retry it with the same Idempotency-Key.',
    ),
  ],
}

export const rateLimits = ({
  rateLimits: { enforced, policies, organizationPolicies },
}: Config): Section => ({
  id: 'rate-limits',
  title: 'Rate limits',
  blocks: [
    text(
      'Each key and each session has its own limits, and so have all keys of an organization together (`org`), and all its sessions; requests without credentials share one set per IP address, or per /64 of IPv6.' +
        (enforced ? '' : ' This deployment counts requests but refuses none.'),
    ),
    table(
      ['Policy', 'Requests', 'Window'],
      [...policies, ...organizationPolicies].map(({ name, limit, windowSeconds }) => [
        codeSpan(name),
        String(limit),
        `${windowSeconds} s`,
      ]),
    ),
    text('Every response reports your usage, in the headers of the IETF draft:'),
    code(
      'http',
      [
        `RateLimit-Policy: ${policies.map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`).join(',')}`,
        `RateLimit: ${policies.map(({ name, limit, windowSeconds }) => `"${name}";r=${limit - 1};t=${windowSeconds}`).join(',')}`,
      ].join('\n'),
    ),
    list(
      'A policy allows `q` requests per `w` seconds; `r` requests are left, and the next window starts in `t` seconds. When the organization’s limit has less left, it is shown as `org` in place of your own.',
      'A request beyond a limit gets [rate_limited](#errors-rate_limited) with `Retry-After`. It has not been processed: send it again, with the same Idempotency-Key.',
    ),
  ],
})
