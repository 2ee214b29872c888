/** From a call that nothing has refused to what is answered: a read, or a write for the engine. */
import type { IncomingMessage } from 'node:http'
import type { Call, Context } from '../context.ts'
import { type Refusal, invalidRequest } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import { idempotencyOf } from '../engine/idempotency.ts'
import type {
  OperationResponse,
  WriteRequest,
  WriteOutcome,
  Write,
} from '../engine/write-request.ts'
import {
  type AnyInput,
  type Operation,
  type RecordResult,
  writeResponseOf,
  readResponseOf,
} from '../operations/operation.ts'
import type { ResponseBody } from './response-buffer.ts'
import type { AuthenticatedCaller } from './admission/authenticate.ts'
import { type Upload, withStoredFile } from './parsing/upload.ts'

/** A call that nothing has refused before its content was read. */
export interface AdmittedRequest {
  context: Context
  operation: Operation
  caller: AuthenticatedCaller | undefined
  address: string
  path: string
  requestId: string
  /** The Idempotency-Key. */
  key: string | null
  request: IncomingMessage
  upload: Upload | undefined
  /** Of the body. */
  bytes: number
  /** What a read has begun to look for. */
  prefetched: Promise<unknown> | undefined
}

/** An answer as it is sent; that of a dry run has status 200 whatever the operation says. */
export interface SuccessResult {
  answer: Omit<OperationResponse, 'status' | 'body'> & { status: number; body: ResponseBody }
  /** Of the request that was answered first, when the answer is a kept one. */
  originalRequest?: string
  dryRun?: boolean
}

export type OperationResult = SuccessResult | { refusal: Refusal }

/**
 * Reads answer at once; writes go through the engine, which looks for a kept answer before anything
 * else.
 */
export const execute = (
  admitted: AdmittedRequest,
  input: AnyInput,
  problems: readonly Problem[],
  dryRun: boolean,
): Promise<OperationResult> => {
  const { operation, caller } = admitted
  const { handler } = operation
  const isReplayable =
    handler.kind !== 'public' && handler.kind !== 'reads' && operation.isUnversioned !== true
  if (problems.length > 0 && !isReplayable) throw invalidRequest(problems)
  if (handler.kind === 'public') return executePublic(admitted, handler, input, dryRun)
  if (caller === undefined) throw new Error('every other operation has a caller')
  const call = callOf(admitted, caller, dryRun)
  return handler.kind === 'reads'
    ? executeRead(handler, call, input, admitted.prefetched)
    : executeWrite(admitted, call, input, problems)
}

type Handler<K> = Operation['handler'] & { kind: K }

const executePublic = async (
  { context, operation, address }: AdmittedRequest,
  handler: Handler<'public'>,
  input: AnyInput,
  dryRun: boolean,
): Promise<OperationResult> => {
  const response = writeResponseOf(
    operation,
    await handler.answer(context, input, { address, dryRun }),
  )
  return operationResultOf({ kind: 'done', response }, dryRun)
}

const executeRead = async (
  handler: Handler<'reads'>,
  call: Call,
  input: AnyInput,
  prefetched: Promise<unknown> | undefined,
): Promise<OperationResult> => ({
  answer: readResponseOf(await handler.answer(call, input, await prefetched)),
})

const executeWrite = async (
  admitted: AdmittedRequest,
  call: Call,
  input: AnyInput,
  problems: readonly Problem[],
): Promise<OperationResult> => {
  const { context, operation, upload } = admitted
  const { handler } = operation
  const { dryRun } = call
  const writeRequest = await writeRequestOf(admitted, call, input, problems)
  const write = () => context.engine.perform(writeRequest)
  const isStored = upload !== undefined && problems.length === 0 && !dryRun
  const outcome = isStored ? await withStoredFile(context, upload, write) : await write()
  // Again on a replay: whoever was cut off before may rely on it all the same.
  if (outcome.kind !== 'refused' && !dryRun && 'afterCommit' in handler) {
    await handler.afterCommit?.(call)
  }
  return operationResultOf(outcome, dryRun)
}

const callOf = (admitted: AdmittedRequest, caller: AuthenticatedCaller, dryRun: boolean): Call => {
  const { context, requestId, address, key, request, upload } = admitted
  return {
    context,
    read: context.database.read,
    requestId,
    address,
    organization: caller.organization,
    credential: caller.credential,
    scopes: caller.scopes,
    idempotencyKey: key,
    dryRun,
    ifMatch: request.headers['if-match'],
    fileId: upload?.id,
  }
}

const writeRequestOf = async (
  { context, operation, key, path, bytes: inputBytes }: AdmittedRequest,
  call: Call,
  input: AnyInput,
  problems: readonly Problem[],
): Promise<WriteRequest> => {
  const { id: organization } = call.organization
  const write = await writeOf(operation, call, input, problems)
  const { requestId, dryRun } = call
  const writeRequest: WriteRequest = { organization, requestId, dryRun, inputBytes, write }
  if (key === null) return writeRequest
  const { method } = operation
  const fingerprinted = { method, path, body: input.body }
  writeRequest.idempotency = idempotencyOf(
    context.keyring.idempotency,
    organization,
    key,
    fingerprinted,
  )
  return writeRequest
}

/** A request that its schema refuses still asks for its kept answer first, but needs no rows. */
const writeOf = async (
  operation: Operation,
  call: Call,
  input: AnyInput,
  problems: readonly Problem[],
): Promise<Write> => {
  const { handler } = operation
  const isRefused = problems.length > 0
  if (handler.kind === 'decides') {
    // Naming the record may refuse as well: the kept answer still wins, so that is said later.
    const decision = isRefused ? undefined : await captured(() => handler.decision(call, input))
    return {
      kind: 'batched',
      rowsToLock: decision !== undefined && 'made' in decision ? decision.made.needs : {},
      decide: (unit) => {
        if (decision === undefined) throw invalidRequest(problems)
        if ('refused' in decision) throw decision.refused
        return writeResponseOf(operation, decision.made.decide(unit))
      },
    }
  }
  const isSealed = operation.showsSecret === true
  if (handler.kind === 'callsOut') {
    let record: RecordResult<unknown> | undefined
    return {
      kind: 'transactional',
      isSealed,
      beforeTransaction: async () => {
        if (isRefused) throw invalidRequest(problems)
        record = await handler.call(call, input)
      },
      run: async (tx) => writeResponseOf(operation, await record!(tx)),
    }
  }
  if (handler.kind !== 'transacts') throw new Error('a write decides, calls out or transacts')
  return {
    kind: 'transactional',
    isSealed,
    run: async (tx) => {
      if (isRefused) throw invalidRequest(problems)
      return writeResponseOf(operation, await handler.run(tx, call, input))
    },
  }
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

const operationResultOf = (outcome: WriteOutcome, dryRun: boolean): OperationResult => {
  if (outcome.kind === 'refused') return { refusal: outcome.refusal }
  if (outcome.kind === 'replayed') {
    return { answer: outcome.response, originalRequest: outcome.originalRequestId }
  }
  if (!dryRun) return { answer: outcome.response }
  // What was not made has no place.
  const { location: _, ...answer } = outcome.response
  return { answer: { ...answer, status: 200 }, dryRun }
}
