/** Makes the write that an operation asks of the engine. */
import type { Call } from '../context.ts'
import { type ErrorCode, Refusal, invalidRequest } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import { idempotencyOf, unrepeatable } from '../engine/idempotency.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'
import type { Write, WriteRequest } from '../engine/write-request.ts'
import {
  type AnyInput,
  type Decision,
  type HandlerOf,
  type Operation,
  type RecordResult,
  type Reply,
  workClassOf,
} from '../operations/operation.ts'
import { writeResponseOf } from '../operations/responses.ts'
import { repetitionOf } from '../store/provenance/used-signatures.ts'
import type { ValidatedRequest } from './validate.ts'

export const writeRequestOf = async (
  validated: ValidatedRequest,
  call: Call,
): Promise<WriteRequest> => {
  const { parsed, input, isBodyInvalid, dryRun } = validated
  const { idempotencyKey, bodyLength, exchange } = parsed
  const { operation } = parsed.route
  const { user } = call.credential
  const organization = call.organization.id
  const request: WriteRequest = {
    organization,
    requestId: call.requestId,
    dryRun,
    inputBytes: bodyLength,
    isAbandoned: () => exchange.response.destroyed,
    write: await writeOf(operation, call, validated),
  }
  if (user !== null) {
    const { path } = exchange
    request.audited = { user: user.id, operation: operation.id, path, address: call.address }
  }
  if (idempotencyKey === null) return request
  const fingerprinted = { method: operation.method, path: exchange.path, body: input.body }
  request.idempotency = isBodyInvalid
    ? unrepeatable(organization, idempotencyKey)
    : idempotencyOf(organization, idempotencyKey, fingerprinted)
  return request
}

const writeOf = async (
  operation: Operation,
  call: Call,
  validated: ValidatedRequest,
): Promise<Write> => {
  const { handler } = operation
  if (handler.kind === 'decides') return batchedWrite(operation, handler, call, validated)
  const { input, refusal, furtherProblems } = validated
  const first = (error: unknown) => firstRefusal(error, furtherProblems)
  const transaction = {
    kind: 'transactional' as const,
    workClass: workClassOf(operation, input) ?? 'writes',
    isEncrypted: operation.showsSecret === true,
  }
  if (handler.kind === 'callsOut') {
    let record: RecordResult<unknown> | undefined
    return {
      ...transaction,
      beforeTransaction: async () => {
        if (refusal !== undefined) throw refusal
        record = await handler.call(call, input).catch((error) => Promise.reject(first(error)))
      },
      run: async (tx) => writeResponseOf(operation, await record!(tx)),
    }
  }
  if (handler.kind !== 'transacts') throw new Error('a write decides, calls out or transacts')
  return {
    ...transaction,
    run: async (tx) => {
      if (refusal !== undefined) throw refusal
      const reply = handler.run(tx, call, input)
      return writeResponseOf(operation, await reply.catch((error) => Promise.reject(first(error))))
    },
  }
}

/**
 * A request with problems needs no rows. Why it is refused is thrown only when it would decide,
 * since a stored response of its key takes precedence.
 */
const batchedWrite = async (
  operation: Operation,
  handler: HandlerOf<'decides'>,
  call: Call,
  { input, refusal, furtherProblems }: ValidatedRequest,
): Promise<Write> => {
  const first = (error: unknown) => firstRefusal(error, furtherProblems)
  const decision =
    refusal === undefined
      ? await captured(() => newDecision(handler, call, input))
      : { refused: refusal }
  return {
    kind: 'batched',
    rowsToLock: 'made' in decision ? decision.made.needs : {},
    decide: (unit) => {
      if ('refused' in decision) throw first(decision.refused)
      const reply = decidedBy(decision.made, unit, first)
      if (decision.made.repetition !== undefined) throw decision.made.repetition
      return writeResponseOf(operation, reply)
    },
  }
}

/** Refusals of what a request names, which follow those of its body (contract 2). */
const followBodies: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'sandbox_isolation',
  'precondition_failed',
  'conflict',
  'capability_unavailable',
  'payment_limit_exceeded',
  'sandbox_quota',
])

/**
 * What is wrong with the body itself takes precedence. It is asked only now, since a handler that
 * comes to its own checks finds more than that, and lists all of it at once.
 */
const firstRefusal = (error: unknown, furtherProblems: () => readonly Problem[]): unknown => {
  if (!(error instanceof Refusal) || !followBodies.has(error.code)) return error
  const problems = furtherProblems()
  return problems.length > 0 ? invalidRequest(problems) : error
}

const decidedBy = (
  { decide }: NewDecision,
  unit: UnitOfWork,
  first: (error: unknown) => unknown,
): Reply<unknown> => {
  try {
    return decide(unit)
  } catch (error) {
    throw first(error)
  }
}

interface NewDecision extends Decision<unknown> {
  /** Why this signed request is not executed, if it was executed before. */
  repetition: Error | undefined
}

const newDecision = async (
  handler: HandlerOf<'decides'>,
  call: Call,
  input: AnyInput,
): Promise<NewDecision> => {
  const decision = await handler.decision(call, input)
  const { documents = [] } = decision.needs
  const signed = { organization: call.organization.id, signature: call.signature }
  return { ...decision, repetition: await repetitionOf(call.read, signed, documents) }
}

const captured = async <T>(
  make: () => T | Promise<T>,
): Promise<{ made: T } | { refused: unknown }> => {
  try {
    return { made: await make() }
  } catch (error) {
    return { refused: error }
  }
}
