/** API keys: listing, creation, rotation and revocation. */
import type { Call } from '../../context.ts'
import { refuseProblems } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import { type Scope, missingScopes, scopeNames } from '../../contract/scopes.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  Key,
  KeyCreate,
  KeyFilters,
  KeyPage,
  MintedKey,
  RotatedKey,
} from '../../contract/shapes/keys.ts'
import { createKeyWithinQuota, revokeKey, rotateKey } from '../../changes/identity/keys.ts'
import { quotasHeldBy } from '../../changes/quotas.ts'
import { amountProblem } from '../../core/amount-problem.ts'
import { formatCidr, parseCidr } from '../../core/identity/ip-addresses.ts'
import { parseSigningKey } from '../../core/identity/request-signature.ts'
import { encodeId } from '../../core/ids.ts'
import { joinedByAnd } from '../../core/listed-words.ts'
import { parseMinor, moneyBounds } from '../../core/money.ts'
import { keyById, keysOf } from '../../store/identity/keys.ts'
import { parseApprovalSetting } from '../approvals/key-approvals.ts'
import { operation } from '../operation.ts'
import { openPage } from '../paging.ts'
import { ownRecord, uuidOrNotFound } from '../path-ids.ts'
import { toKey, toKeyWithUse } from './key-views.ts'

const adminIdOf = (call: Call): string => call.credential.user!.id

const keyDefaults = { family: 'keys', allowed: 'admin', scopes: ['keys:manage'] } as const

export const list = operation({
  ...keyDefaults,
  id: 'keys.list',
  method: 'GET',
  path: '/v1/keys',
  summary: 'List keys, newest first',
  since: '1.15.0',
  allowed: 'admin or scoped',
  query: KeyFilters,
  response: KeyPage,
  summaryFields: ['id', 'name', 'prefix', 'scopes', 'status', 'expires_at'],
  toolFields: ['id', 'name', 'scopes', 'status'],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'keys', query)
  const rows = await keysOf(call.read, call.organization.id, page)
  return { body: page.of(rows, await toKeyWithUse(call, rows), ({ id }) => id) }
})

export const get = operation({
  ...keyDefaults,
  id: 'keys.get',
  method: 'GET',
  path: '/v1/keys/{id}',
  summary: 'Retrieve a key',
  since: '1.15.0',
  allowed: 'admin or scoped',
  response: Key,
  errors: ['not_found'],
}).reads(async (call, { params }) => {
  const key = await ownRecord(call, 'key', params.id, keyById)
  return { body: (await toKeyWithUse(call, [key]))(key) }
})

export const create = operation({
  ...keyDefaults,
  id: 'keys.create',
  workClass: 'credentials',
  method: 'POST',
  path: '/v1/keys',
  summary: 'Create a key',
  description:
    'The secret is shown once, in this response; only its hash is stored. Scopes that the organization does not have are stored, and take effect once it has them.',
  since: '1.0.0',
  body: KeyCreate,
  response: MintedKey,
  status: 201,
  errors: ['sandbox_quota'],
  showsSecret: true,
}).transacts(
  async (tx, call, { body }) => {
    const { problems, ...settings } = checkKey(body)
    refuseProblems(problems)
    const { organization } = call
    const { key, secret } = await createKeyWithinQuota(
      tx,
      {
        organization: organization.id,
        mode: organization.mode,
        createdBy: adminIdOf(call),
        name: body.name,
        scopes: [...new Set(body.scopes)],
        ...settings,
      },
      quotasHeldBy(call),
    )
    const record = toKey(key)
    return {
      body: { ...record, key: call.dryRun ? null : secret },
      location: `/v1/keys/${record.id}`,
      resourceId: record.id,
    }
  },
  {
    problems: (body, { isSound }) => {
      const ranges = body.allowed_cidrs?.map((text, i) =>
        isSound(`/allowed_cidrs/${i}`) ? text : '0.0.0.0/0',
      )
      // If the scopes are invalid, assume all of them, so that payment limits are not refused too.
      const hasScopes = isSound('/scopes') && body.scopes.every((_, i) => isSound(`/scopes/${i}`))
      const scopes = hasScopes ? body.scopes : scopeNames
      return checkKey({ ...body, scopes: [...scopes], allowed_cidrs: ranges ?? [] }).problems
    },
  },
)

/** The settings of a new key, and the problems that its schema cannot express. */
const checkKey = (body: KeyCreate) => {
  const problems: Problem[] = scopeProblems(body.scopes)
  return {
    problems,
    allowedCidrs: parseCidrs(body.allowed_cidrs ?? [], problems),
    ...parsePaymentLimits(body, problems),
    approval: parseApprovalSetting(body, problems),
    expiresAt: parseExpiry(body.expires_at ?? null, problems),
    signingKey: parseSigner(body.signing_key ?? null, problems),
  }
}

const scopeProblems = (scopes: readonly Scope[]): Problem[] => {
  const missing = missingScopes(scopes)
  if (missing.length === 0) return []
  const message = `webhooks:manage needs ${joinedByAnd(missing)} beside it: endpoints receive what those show.`
  const fix = `add ${joinedByAnd(missing)}, or leave webhooks:manage out`
  return [{ param: '/scopes', code: 'invalid_value', message, fix }]
}

const parseCidrs = (texts: readonly string[], problems: Problem[]): string[] =>
  texts.flatMap((text, i) => {
    const range = parseCidr(text)
    if (range.ok) return [formatCidr(range.cidr)]
    const fix = 'send ranges like 203.0.113.0/24 or 2001:db8::/32'
    problems.push({
      param: `/allowed_cidrs/${i}`,
      code: 'invalid_value',
      message: range.message,
      fix,
    })
    return []
  })

const parsePaymentLimits = (body: KeyCreate, problems: Problem[]) => {
  const paymentLimits = body.payment_limits
  if (paymentLimits !== undefined && !body.scopes.includes('payments:write')) {
    problems.push({
      param: '/payment_limits',
      code: 'invalid_value',
      message: 'Only a key with payments:write can have payment limits.',
      fix: 'add payments:write to scopes, or leave payment_limits out',
    })
  }
  const minorUnits = (field: 'max_per_payment' | 'daily_volume'): bigint | null => {
    const value = paymentLimits?.[field] ?? null
    if (value === null) return null
    const problem = amountProblem(`/payment_limits/${field}`, value, {
      least: 1n,
      most: moneyBounds.documentTotalMaxMinor,
      otherwise: 'null for no limit',
    })
    if (problem === undefined) return parseMinor(value)!
    problems.push(problem)
    return null
  }
  return { maxPerPayment: minorUnits('max_per_payment'), dailyVolume: minorUnits('daily_volume') }
}

const parseSigner = (text: string | null, problems: Problem[]): Buffer | null => {
  const key = text === null ? null : parseSigningKey(text)
  if (key !== undefined) return key
  problems.push({
    param: '/signing_key',
    code: 'invalid_value',
    message: 'Must be an Ed25519 public key: its 32 bytes in standard base64.',
    fix: 'send the raw public key, 44 characters with the padding',
  })
  return null
}

/** The expiry in UTC, to the millisecond, as it is stored. */
const parseExpiry = (text: string | null, problems: Problem[]): string | null => {
  if (text === null) return null
  const at = new Date(text)
  if (at.getTime() > Date.now()) return at.toISOString()
  problems.push({
    param: '/expires_at',
    code: 'out_of_range',
    message: 'Must be in the future.',
    fix: 'send a later time, or leave expires_at out',
  })
  return null
}

export const rotate = operation({
  ...keyDefaults,
  id: 'keys.rotate',
  workClass: 'credentials',
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  summary: 'Rotate a key',
  description:
    'Creates a replacement with the same name, scopes, limits, approval rule and signing key. The old key keeps working until `previous.expires_at`, 24 hours later unless the deployment is configured differently.',
  since: '1.0.0',
  body: NoBody,
  response: RotatedKey,
  errors: ['not_found', 'conflict'],
  showsSecret: true,
}).transacts(async (tx, call, { params }) => {
  const by = { userId: adminIdOf(call), graceMs: call.context.config.keyRotationGraceMs }
  const { key, secret, previous } = await rotateKey(
    tx,
    call.organization.id,
    uuidOrNotFound('key', params.id),
    by,
  )
  const record = toKey(key)
  return {
    body: {
      ...record,
      key: call.dryRun ? null : secret,
      previous: {
        id: encodeId('key', previous.id),
        prefix: previous.prefix,
        expires_at: previous.expires_at!,
        rotated_to_id: record.id,
      },
    },
    resourceId: record.id,
  }
})

export const revoke = operation({
  ...keyDefaults,
  id: 'keys.revoke',
  workClass: 'credentials',
  method: 'POST',
  path: '/v1/keys/{id}/revoke',
  summary: 'Revoke a key',
  description:
    'Takes effect immediately and permanently. Revoking a revoked key returns the same record.',
  since: '1.0.0',
  body: NoBody,
  response: Key,
  errors: ['not_found'],
}).transacts(async (tx, call, { params }) => {
  const key = await revokeKey(tx, call.organization.id, uuidOrNotFound('key', params.id))
  return { body: toKey(key), resourceId: encodeId('key', key.id) }
})
