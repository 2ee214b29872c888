/** Runs the operation: a read, or a write through the engine. */
import { readFile } from 'node:fs/promises'
import type { Call } from '../context.ts'
import type { Refusal } from '../contract/errors.ts'
import { isVersioned } from '../docs/operation-facts.ts'
import type { OperationResponse, WriteOutcome } from '../engine/write-request.ts'
import { type AnyInput, type HandlerOf, workClassOf } from '../operations/operation.ts'
import { LiveChanges, StreamedText } from '../operations/reply-bodies.ts'
import { checkWasNeverThere } from '../operations/documents/document-lookup.ts'
import { checkIsNoInvitation } from '../operations/identity/connections.ts'
import { uuidOrNotFound } from '../operations/path-ids.ts'
import { readResponseOf, writeResponseOf } from '../operations/responses.ts'
import type { ResponseBody } from './response-buffer.ts'
import type { AuthenticatedCaller } from './admission/authenticator.ts'
import { type WriteEffect, requesterOf } from './exchange.ts'
import type { ParsedRequest } from './parse.ts'
import { withStoredFile } from './parsing/upload.ts'
import type { ValidatedRequest } from './validate.ts'
import { writeRequestOf } from './write-request.ts'

/**
 * The response of an operation; that of a dry run has status 200 whatever the operation declares.
 */
export interface SuccessResult {
  response: Omit<OperationResponse, 'status' | 'body'> & { status: number; body: ResponseBody }
  /** The request that was executed, when the response is a replay. */
  originalRequestId?: string
  dryRun?: boolean
}

/** A success whose body is made while it is sent. */
export interface StreamResult {
  stream: AsyncIterable<string>
  headers: Readonly<Record<string, string>>
}

/** A success that goes on for as long as the reader stays. */
export interface ChangesResult {
  changes: LiveChanges<string>
}

export type OperationResult = SuccessResult | StreamResult | ChangesResult | { refusal: Refusal }

/** The fourth stage. Reads run at once; writes go through the engine, which replays first. */
export const execute = (validated: ValidatedRequest): Promise<OperationResult> => {
  const { parsed, refusal, dryRun } = validated
  const { caller, route } = parsed
  const { operation } = route
  const { handler } = operation
  const isReplayable =
    handler.kind !== 'public' && handler.kind !== 'reads' && isVersioned(operation)
  if (refusal !== undefined && !isReplayable) throw refusal
  if (handler.kind === 'public') return executePublic(validated, handler)
  if (caller === undefined) throw new Error('every other operation has a caller')
  const call = callOf(parsed, caller, dryRun)
  return handler.kind === 'reads'
    ? executeRead(validated, handler, call)
    : executeWrite(validated, call)
}

const executePublic = async (
  { parsed, input, dryRun }: ValidatedRequest,
  handler: HandlerOf<'public'>,
): Promise<OperationResult> => {
  const { exchange, route, address } = parsed
  const { context, addressOf } = exchange.pipeline
  const { headers } = exchange.request
  const requester = requesterOf(exchange, addressOf(exchange.request).network)
  const reply = await handler.answer(context, input, {
    address,
    requestId: exchange.requestId,
    headers,
    requester,
    dryRun,
  })
  const response = writeResponseOf(route.operation, reply)
  return operationResultOf({ kind: 'done', response, eventIds: [] }, dryRun)
}

const executeRead = async (
  { parsed, input }: ValidatedRequest,
  handler: HandlerOf<'reads'>,
  call: Call,
): Promise<OperationResult> => {
  // Which fields are shown is no filter: the handler and its cursors do not depend on it.
  const { fields, ...query } = input.query as { fields?: readonly string[] }
  const answer = async (by: Call): Promise<OperationResult> => {
    const found = await parsed.prefetched
    const reply = await handler.answer(by, { ...input, query } as AnyInput, found)
    if (reply.body instanceof StreamedText) {
      return { stream: reply.body.pieces, headers: reply.headers ?? {} }
    }
    if (reply.body instanceof LiveChanges) return { changes: reply.body as LiveChanges<string> }
    return { response: readResponseOf(reply, fields) }
  }
  const workClass = workClassOf(parsed.route.operation, input)
  if (workClass === undefined) return answer(call)
  return call.context.database.perform(workClass, call.requester, ({ read, pages }) =>
    answer({ ...call, read, pages }),
  )
}

const executeWrite = async (validated: ValidatedRequest, call: Call): Promise<OperationResult> => {
  const { parsed, refusal, dryRun } = validated
  const { route, upload } = parsed
  const { context } = call
  const { handler } = route.operation
  const request = await writeRequestOf(validated, call)
  const write = () => context.engine.perform(request)
  const isStored = route.operation.takesFile?.isStored === true
  const needsFile = upload !== undefined && isStored && refusal === undefined && !dryRun
  const outcome = needsFile
    ? await withStoredFile(context, { upload, document: attachedTo(validated) }, write)
    : await write()
  if (outcome.kind === 'refused') await checkNotFound(call, outcome.refusal)
  // Also on a replay: the process may have died between COMMIT and this work.
  if (outcome.kind !== 'refused' && !dryRun && 'afterCommit' in handler) {
    await handler.afterCommit?.(call, outcome.response.body)
  }
  parsed.exchange.effect = effectOf(outcome, dryRun)
  return operationResultOf(outcome, dryRun)
}

/** A write loads neither what other tables say of a missing document, nor invitations by e-mail. */
const checkNotFound = async (call: Call, refusal: Refusal): Promise<void> => {
  if (refusal.code !== 'not_found') return
  await checkWasNeverThere(call, refusal)
  await checkIsNoInvitation(call, refusal)
}

/** The document of the path, which was looked up before the file was received. */
const attachedTo = ({ parsed: { exchange } }: ValidatedRequest): string =>
  uuidOrNotFound('doc', exchange.params['id']!)

/** The document of a dry run may not exist. */
const effectOf = (outcome: WriteOutcome, dryRun: boolean): WriteEffect | undefined => {
  if (outcome.kind === 'refused') return undefined
  if (outcome.kind === 'replayed') {
    const { documentId, originalRequestId } = outcome
    return { documentId, eventIds: [], originalRequestId }
  }
  const { response, eventIds } = outcome
  const documentId = dryRun ? null : (response.document?.id ?? null)
  return { documentId, eventIds, originalRequestId: null }
}

const callOf = (parsed: ParsedRequest, caller: AuthenticatedCaller, dryRun: boolean): Call => {
  const { exchange, address, idempotencyKey, upload } = parsed
  const { pipeline, request, requestId } = exchange
  const requester = requesterOf(exchange, caller.organization.id)
  return {
    context: pipeline.context,
    requester,
    read: pipeline.context.database.read,
    pages: pipeline.context.database.read,
    // Takes its turn here, so that an export that waits for the log keeps nobody waiting.
    snapshot: (work) =>
      pipeline.context.database.perform('heavy', requester, (own) => own.snapshot(work)),
    requestId,
    address,
    organization: caller.organization,
    credential: caller.credential,
    scopes: caller.scopes,
    idempotencyKey,
    dryRun,
    ifMatch: request.headers['if-match'],
    accept: request.headers.accept,
    lastEventId: request.headers['last-event-id'] as string | undefined,
    signature: parsed.signature,
    fileId: upload?.id,
    readReceivedFile:
      upload &&
      ((read) => pipeline.fileReads.run(requester, async () => read(await readFile(upload.path)))),
  }
}

const operationResultOf = (outcome: WriteOutcome, dryRun: boolean): OperationResult => {
  if (outcome.kind === 'refused') return { refusal: outcome.refusal }
  if (outcome.kind === 'replayed') {
    return { response: outcome.response, originalRequestId: outcome.originalRequestId }
  }
  if (!dryRun) return { response: outcome.response }
  // A dry run creates nothing, so there is no location and no event.
  const { location: _, receipt: __, ...response } = outcome.response
  return { response: { ...response, status: 200 }, dryRun }
}
