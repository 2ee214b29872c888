/** The rules that hold for every call, with the numbers that this deployment has. */
import type { Config } from '../../config.ts'
import { limits } from '../../contract/limits.ts'
import { scopes } from '../../contract/scopes.ts'
import { changelog, version } from '../../contract/version.ts'
import { curl } from '../examples/curl.ts'
import { type Section, code, json, list, codeSpan, steps, table, text } from '../blocks.ts'

export const authentication = ({ baseUrl, keyRotationGraceMs }: Config): Section => ({
  id: 'authentication',
  title: 'Authentication',
  blocks: [
    text('Every call carries `Authorization: Bearer <API_KEY>`. There is no other way in.'),
    list(
      'A key acts for its whole organization, within its scopes. Sandbox keys start with `rk_test_`, live keys with `rk_live_`; the two worlds never meet.',
      'The secret is shown once, when the key is made; only its hash is kept. A lost secret cannot be recovered: mint another key and revoke the old one.',
      'Managing keys needs an **admin session**: the token of a signed-in owner or admin, `rs_test_…` or `rs_live_…`, in the same header. `sandbox.json` has one to practise with.',
      '`expires_at` ends a key at that instant. `allowed_cidrs` limits where it may call from: from elsewhere it is refused with [forbidden](#errors-forbidden) before the request is looked at.',
      `Rotating makes a replacement with the same name, scopes and limits. The old key works for ${duration(keyRotationGraceMs)} more.`,
      'Revoking is immediate and final.',
      'Missing, wrong, revoked, expired and rotated out all get the same [unauthorized](#errors-unauthorized), and so do all credentials of an organization that the operator has suspended.',
    ),
    text(
      'A scope never exceeds what the organization has: the two are intersected on every call. A scope that the key lacks is [insufficient_scope](#errors-insufficient_scope); one that the organization cannot use is [capability_unavailable](#errors-capability_unavailable).',
    ),
    table(
      ['Scope', 'Allows'],
      Object.entries(scopes).map(([scope, { allows }]) => [codeSpan(scope), allows]),
    ),
  ],
  sections: [signingIn(baseUrl)],
})

const signingIn = (baseUrl: string): Section => ({
  id: 'signing-in',
  title: 'Signing in',
  blocks: [
    text(
      'An admin session begins with an e-mail and a password, or with a one-time link that the operator made. The calls are outside of `/v1` and need no Idempotency-Key.',
    ),
    code(
      'sh',
      curl({
        method: 'POST',
        url: `${baseUrl}/auth/sessions`,
        body: { email: 'admin@practice.example', password: '…' },
      }),
    ),
    code('sh', curl({ method: 'POST', url: `${baseUrl}/auth/sessions`, body: { link: 'sl_…' } })),
    text(
      `The answer (201) has the \`token\` to send as \`Authorization: Bearer …\` for ${duration(limits.sessionLifetimeMs)}, the user, its role and scopes, and the organization it acts for: \`organization_id\` in the body chooses one, else it is the only one, the oldest live one or the oldest.`,
    ),
    table(
      ['Call', 'What it does'],
      [
        [codeSpan('POST /auth/sessions'), 'signs in: `{email, password}` or `{link}`'],
        [codeSpan('GET /auth/session'), 'reads the session whose token is sent'],
        [
          codeSpan('POST /auth/session/switch'),
          'acts for another organization of the user, `{organization_id}`: a new token, the old one ends',
        ],
        [codeSpan('DELETE /auth/session'), 'signs out, at once on every process'],
      ],
    ),
    list(
      'A wrong password and an unknown e-mail get the same [unauthorized](#errors-unauthorized).',
      `After ${limits.signInFailuresPerMinute} failures in a minute the e-mail waits: [rate_limited](#errors-rate_limited).`,
      'Owners and admins may manage keys; a member may do what a key with every other scope may do.',
    ),
  ],
})

export const idempotency = ({ idempotencyRetentionMs }: Config): Section => ({
  id: 'idempotency',
  title: 'Idempotency and dry runs',
  blocks: [
    text(
      `Every write (POST, PUT, PATCH, DELETE) needs \`Idempotency-Key\`: ${limits.idempotencyKeyMinLength} to ${limits.idempotencyKeyMaxLength} printable characters, one fresh value per thing you mean to do, and the same value for every retry of it. Then a retry is always safe: what you meant happens once.`,
    ),
    table(
      ['You send', 'You get'],
      [
        [
          'the same key, the same request',
          'the first answer again, the same status and the same bytes, with `Idempotent-Replay: true` and `Svc-Original-Request-Id`',
        ],
        [
          'the same key, another body or path',
          '[idempotency_conflict](#errors-idempotency_conflict); the first answer stays replayable',
        ],
        [
          'the same key while the first call still runs',
          '[conflict](#errors-conflict) with `reason: request_in_progress` and `Retry-After`',
        ],
        [
          'a write without a key',
          '[invalid_request](#errors-invalid_request), before anything happens',
        ],
      ],
    ),
    list(
      'Only successes are kept. A refusal releases the key: correct the request and send it with the same key.',
      'Bodies are compared as JSON: the order of keys and white space do not matter. An empty body equals `{}`.',
      `Keys belong to the organization, not to the API key, and are kept for ${duration(idempotencyRetentionMs)}. After that the same key runs afresh.`,
      'The write and its kept answer are stored together: there is no moment in which one exists without the other.',
      'Admins see what arrived: [`GET /v1/requests`](#requests.list) lists the calls of the last 30 days with their Idempotency-Keys and statuses.',
      'Lost the answer and the connection? `GET /v1/idempotency/{key}` says whether the write succeeded, and which record it made.',
    ),
    text(
      '`Svc-Dry-Run: true` on any write runs every check and answers 200 with what would be answered and `Svc-Dry-Run: true`. Nothing is stored, nothing is sent, and the Idempotency-Key (still needed) is not used up. A number or secret that would be given out is null.',
    ),
  ],
})

export const pagination = ({ baseUrl }: Config): Section => ({
  id: 'pagination',
  title: 'Pages and catching up',
  blocks: [
    text(
      `Lists answer \`data\`, \`next_cursor\` and \`has_more\`, newest first. \`limit\` is ${limits.pageMin} to ${limits.pageMax}, ${limits.pageDefault} unless you say otherwise.`,
    ),
    steps(
      'Read the first page without `cursor`.',
      'Pass `next_cursor` back verbatim as `cursor`, with the same filters.',
      'Stop when `next_cursor` is null. A short page is not the end.',
    ),
    list(
      'Pages do not overlap, and records made while you walk do not move those that you have read.',
      'A cursor belongs to its query: after changing a filter start again, else the answer is [invalid_request](#errors-invalid_request) with `invalid_cursor`.',
      'Filters that take several values take a comma list, in any order: `status=submitted,approved`.',
      '`since` and `until` compare the document date, both inclusive.',
    ),
    text(
      '`updated_since` finds what changed, inclusive and to the millisecond. Sweep with it from time to time, starting a little before the newest `updated_at` that you know, and you miss nothing.',
    ),
    code(
      'sh',
      curl({
        method: 'GET',
        url: `${baseUrl}/v1/documents?updated_since=2026-11-21T09:00:00Z&limit=100`,
        credential: 'API_KEY',
      }),
    ),
    json({ data: ['…'], next_cursor: 'kq3v…', has_more: true }),
  ],
})

const { bodyMaxBytes, jsonMaxDepth, jsonMaxKeys, headerMaxBytes, headersMaxCount } = limits

export const limitsSection = (config: Config): Section => ({
  id: 'limits',
  title: 'Limits',
  blocks: [
    table(
      ['Limit', 'Value'],
      [
        ['Request body', `${bodyMaxBytes / 1024 / 1024} MiB`],
        [
          'Attachment',
          `${limits.attachmentMaxBytes / 1024 / 1024} MiB, ${limits.attachmentsPerDocumentMax} per document`,
        ],
        [
          'JSON nesting, keys, list entries',
          `${jsonMaxDepth} levels, ${jsonMaxKeys} and ${limits.jsonMaxEntries} in all`,
        ],
        ['Request headers', `${headersMaxCount} headers, ${headerMaxBytes / 1024} KiB`],
        ['Line items per document', `${limits.lineItemsMin} to ${limits.lineItemsMax}`],
        ['Line description', characters(limits.descriptionMaxLength)],
        ['SKU', characters(limits.skuMaxLength)],
        ['Notes', characters(limits.notesMaxLength)],
        ['Payment terms', characters(limits.paymentTermsMaxLength)],
        ['Note of a transition', characters(limits.transitionNoteMaxLength)],
        ['References per document', String(limits.referencesMax)],
        [
          '`external_refs`, `metadata`',
          `${limits.openMapMaxKeys} keys of ${characters(limits.openMapKeyMaxLength)}, values of ${characters(limits.openMapValueMaxLength)}`,
        ],
        ['Document date', `from ${limits.documentDateMin} to ten years from today`],
        [
          '`Idempotency-Key`',
          `${limits.idempotencyKeyMinLength} to ${characters(limits.idempotencyKeyMaxLength)}, kept for ${duration(config.idempotencyRetentionMs)}`,
        ],
        ['Page', `${limits.pageMin} to ${limits.pageMax} rows, ${limits.pageDefault} by default`],
        ['Values in a comma list', String(limits.listFilterMaxValues)],
        ['Name of a key', characters(limits.keyNameMaxLength)],
        ['`allowed_cidrs`', `${limits.allowedCidrsMax} ranges`],
        ['Grace of a rotated key', duration(config.keyRotationGraceMs)],
        ['Time for one request', `${limits.requestTimeoutMs / 1000} s`],
      ],
    ),
  ],
})

export const rateLimits = ({ rateLimits }: Config): Section => ({
  id: 'rate-limits',
  title: 'Rate limits',
  blocks: [
    text(
      'Each key and each session has its own allowance; calls without a credential share one per address.' +
        (rateLimits.enforced ? '' : ' This deployment counts, but refuses nothing.'),
    ),
    table(
      ['Policy', 'Requests', 'Window'],
      rateLimits.policies.map(({ name, limit, windowSeconds }) => [
        codeSpan(name),
        String(limit),
        `${windowSeconds} s`,
      ]),
    ),
    text('Every answer says where you stand, in the headers of the IETF draft:'),
    code(
      'http',
      [
        `RateLimit-Policy: ${rateLimits.policies.map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`).join(',')}`,
        `RateLimit: ${rateLimits.policies.map(({ name, limit, windowSeconds }) => `"${name}";r=${limit - 1};t=${windowSeconds}`).join(',')}`,
      ].join('\n'),
    ),
    list(
      '`q` requests per `w` seconds; `r` are left, and in `t` seconds the window starts anew.',
      'Beyond it the answer is [rate_limited](#errors-rate_limited) with `Retry-After`. A refused call has not been looked at: send the same one again, with the same Idempotency-Key.',
    ),
  ],
})

export const versioning: Section = {
  id: 'versioning',
  title: 'Versions',
  blocks: [
    text(
      `This is version ${version} of the contract. Inside \`/v1\` it only grows: fields, operations, codes and enumeration values are added and the version rises; nothing is removed or renamed. Every answer names the version that made it in \`Svc-Api-Version\`. Each operation says since when it exists.`,
    ),
  ],
}

export const changes: Section = {
  id: 'changelog',
  title: 'Changelog',
  blocks: [
    table(
      ['Version', 'Change'],
      changelog.map((entry) => [codeSpan(entry.version), entry.change]),
    ),
  ],
}

const characters = (count: number): string => `${count.toLocaleString('en-US')} characters`

const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const

/** In the largest unit that needs no fraction: 86400000 → `24 hours`. */
export const duration = (ms: number): string => {
  const [unit, size] = units.find(([, one]) => ms % one === 0) ?? units[3]
  return `${ms / size} ${unit}${ms === size ? '' : 's'}`
}
