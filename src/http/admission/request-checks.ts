/**
 * The checks that need no content: headers, path, family, scopes, Idempotency-Key, dry run. The
 * stages (admit.ts, validate.ts) decide their order.
 */
import type { IncomingMessage } from 'node:http'
import { notCapable } from '../../contract/finance-capability.ts'
import type { Context } from '../../context.ts'
import { type Refusal, invalidRequest, refuse } from '../../contract/errors.ts'
import type { Family } from '../../contract/families.ts'
import { dryRunProblem } from '../../core/header-problems.ts'
import { idempotencyKeyFix, idempotencyKeyProblem } from '../../contract/idempotency-key.ts'
import { cidrContains, parseAddress } from '../../core/identity/ip-addresses.ts'
import { joinedByAnd, joinedByOr } from '../../core/listed-words.ts'
import type { Operation } from '../../operations/operation.ts'
import {
  capabilityUnavailable,
  lackingAuthority,
  requirementsOf,
} from '../../operations/required-authority.ts'
import type { Exchange } from '../exchange.ts'
import type { AuthenticatedCaller } from './authenticator.ts'
import { checkMayMoveMoney } from './step-up.ts'

/** Headers that must not be repeated, because it would be unclear which one counts. */
const singleHeaders = new Set([
  'authorization',
  'idempotency-key',
  'content-type',
  'content-length',
  'host',
  'if-match',
  'svc-dry-run',
])

export const checkHeaders = ({ rawHeaders, headers, httpVersionMinor }: IncomingMessage): void => {
  if (headers.host === undefined && httpVersionMinor === 1) {
    throw invalidRequest({
      param: 'Host',
      code: 'missing_header',
      message: 'HTTP/1.1 requires this header.',
      fix: 'send Host',
    })
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    throw invalidRequest({
      param: 'Expect',
      code: 'invalid_value',
      message: 'Only 100-continue is supported.',
      fix: 'leave Expect out',
    })
  }
  // Node.js merges repeated headers, so as many names as headers means that none is repeated.
  let distinct = 0
  for (const _ in headers) distinct += 1
  if (distinct * 2 === rawHeaders.length) return
  const seenNames = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    if (!singleHeaders.has(name)) continue
    if (seenNames.has(name)) {
      throw invalidRequest({
        param: rawHeaders[i]!,
        code: 'invalid_value',
        message: 'This header is given twice.',
        fix: 'send it once',
      })
    }
    seenNames.add(name)
  }
}

/** An older database vouches for nothing, not even for a credential. */
export const checkComplete = ({ isRolledBack }: Pick<Context, 'isRolledBack'>): void => {
  if (!isRolledBack()) return
  throw refuse(
    'integrity_failure',
    'The database lacks what was signed, as after the restore of a backup. Nothing was read or changed.',
    { failures: [{ check: 'CHECKPOINT' }] },
  )
}

export const unknownRoute = ({ request, path, allowedMethods }: Exchange): Refusal => {
  if (allowedMethods.length > 0) {
    const message = `${request.method} is not a method of ${path}: use ${joinedByOr(allowedMethods)}.`
    const headers = { Allow: allowedMethods.join(', ') }
    return refuse('method_not_allowed', message, undefined, { headers })
  }
  const slash = path.endsWith('/') ? ' Paths end without a slash.' : ''
  return refuse('not_found', `There is no path ${path}.${slash} GET /v1/docs lists them.`, {
    resource: 'route',
    id: path,
  })
}

/** Refuses an address outside of the key's ranges, before anything else about the request. */
export const checkAddress = ({ credential }: AuthenticatedCaller, address: string): void => {
  if (credential.allowedCidrs.length === 0) return
  const bytes = parseAddress(address)
  const isAllowed = credential.allowedCidrs.some(
    (range) => bytes !== undefined && cidrContains(range, bytes),
  )
  if (!isAllowed) {
    throw refuse(
      'forbidden',
      `This key may not be used from ${address}: call from an address in its allowed_cidrs, or use another key.`,
      { address },
    )
  }
}

export const checkFamily = (
  family: Family | undefined,
  { config }: Pick<Context, 'config'>,
): void => {
  if (family === undefined || config.families.has(family)) return
  throw refuse('not_enabled', `The ${family} family is not enabled in this deployment.`, { family })
}

export const checkScopes = (
  operation: Pick<Operation, 'allowed' | 'scopes'>,
  caller: AuthenticatedCaller,
): void => {
  const lacking = lackingAuthority(operation, caller)
  if (lacking === undefined) return
  if (lacking.lacks === 'verification') throw capabilityUnavailable(lacking.scope)
  const needed = lacking.lacks === 'scopes' ? operation.scopes! : [lacking.lacks]
  throw insufficientScope(needed, caller)
}

/** Loans are between verified organizations: nothing else of the request is looked at before. */
export const checkCapability = (
  { family }: Operation,
  { organization }: AuthenticatedCaller,
): void => {
  if (family !== 'finance' || organization.isVerified) return
  throw notCapable('organization_unverified', ['verification'])
}

const insufficientScope = (
  needed: readonly string[],
  { credential }: AuthenticatedCaller,
): Refusal =>
  refuse('insufficient_scope', `This needs ${joinedByAnd(needed)}: ${remedyFor(needed)}.`, {
    required_scopes: needed,
    key_scopes: credential.grantedScopes,
  })

const remedyFor = ([needed = '']: readonly string[]): string =>
  remedies[needed] ?? 'send a key that has it, or ask an admin for one'

const remedies: Readonly<Record<string, string>> = {
  session: 'send the session token of a person (POST /auth/sessions)',
  admin_session: 'send the session token of an owner or admin (POST /auth/sessions)',
  // Whoever reads this may be the program that has asked for the approval.
  approver_session: 'an owner, admin or approver signs in and decides, and never a program',
}

export const requireIdempotencyKey = ({ headers }: IncomingMessage): string => {
  const key = headers['idempotency-key']
  const param = 'Idempotency-Key'
  if (typeof key !== 'string') {
    const message = 'Every write requires this header.'
    throw invalidRequest({ param, code: 'missing_header', message, fix: idempotencyKeyFix })
  }
  const problem = idempotencyKeyProblem(key, param)
  if (problem !== undefined) throw invalidRequest(problem)
  return key
}

/** Some bodies and parameters need more than the declared family and scopes. */
export const checkRequirements = (
  operation: Operation,
  given: { body: unknown; query: unknown },
  caller: AuthenticatedCaller,
  { pipeline, request }: Exchange,
): void => {
  for (const required of requirementsOf(operation, given)) {
    checkFamily(required.family, pipeline.context)
    checkScopes({ allowed: 'scoped', scopes: required.scopes }, caller)
    if (!required.scopes.includes('payments:write')) continue
    checkMayMoveMoney(caller, pipeline.addressOf(request).address)
  }
}

export const isDryRun = ({ method }: Operation, { headers }: IncomingMessage): boolean => {
  const header = headers['svc-dry-run']
  if (header === undefined) {
    if (method !== 'GET') checkNoOtherDryRun(headers)
    return false
  }
  const problem = dryRunProblem(String(header), 'Svc-Dry-Run')
  if (problem !== undefined) throw invalidRequest(problem)
  return header === 'true' && method !== 'GET'
}

/** Whoever sends it believes that nothing is written. */
const checkNoOtherDryRun = (headers: IncomingMessage['headers']): void => {
  for (const param in headers) {
    if (!param.endsWith('run') || !/(?:^|[-_])dry[-_]?run$/.test(param)) continue
    const message = 'No header of this name makes a dry run.'
    throw invalidRequest({ param, code: 'invalid_value', message, fix: 'send Svc-Dry-Run' })
  }
}
