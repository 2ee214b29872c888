/** From a call that nothing has refused to what is answered: a read, or a write for the engine. */
import type { IncomingMessage } from 'node:http'
import type { Call, Context } from '../context.ts'
import { type Refusal, invalid } from '../contract/errors.ts'
import type { Problem } from '../contract/problem.ts'
import { idempotencyOf } from '../engine/idempotency.ts'
import type { Answer, Member, Outcome, Write } from '../engine/write-request.ts'
import {
  type AnyInput,
  type Operation,
  type Recording,
  answerOf,
  readingOf,
} from '../operations/operation.ts'
import type { Body } from './response-buffer.ts'
import type { Caller } from './admission/authenticate.ts'
import { type Upload, withStoredFile } from './parsing/upload.ts'

/** A call that nothing has refused before its content was read. */
export interface Arrived {
  context: Context
  operation: Operation
  caller: Caller | undefined
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
  found: Promise<unknown> | undefined
}

/** An answer as it is sent; that of a dry run has status 200 whatever the operation says. */
export interface Answered {
  answer: Omit<Answer, 'status' | 'body'> & { status: number; body: Body }
  /** Of the request that was answered first, when the answer is a kept one. */
  originalRequest?: string
  dryRun?: boolean
}

export type Outgoing = Answered | { refusal: Refusal }

/**
 * Reads answer at once; writes go through the engine, which looks for a kept answer before anything
 * else.
 */
export const perform = (
  arrived: Arrived,
  input: AnyInput,
  problems: readonly Problem[],
  dryRun: boolean,
): Promise<Outgoing> => {
  const { operation, caller } = arrived
  const { handler } = operation
  const isKept = handler.kind !== 'public' && handler.kind !== 'reads' && operation.outside !== true
  if (problems.length > 0 && !isKept) throw invalid(problems)
  if (handler.kind === 'public') return answeringAnyone(arrived, handler, input, dryRun)
  if (caller === undefined) throw new Error('every other operation has a caller')
  const call = callOf(arrived, caller, dryRun)
  return handler.kind === 'reads'
    ? reading(handler, call, input, arrived.found)
    : writing(arrived, call, input, problems)
}

type Handler<K> = Operation['handler'] & { kind: K }

const answeringAnyone = async (
  { context, operation, address }: Arrived,
  handler: Handler<'public'>,
  input: AnyInput,
  dryRun: boolean,
): Promise<Outgoing> => {
  const answer = answerOf(operation, await handler.answer(context, input, { address, dryRun }))
  return outgoingOf({ kind: 'done', answer }, dryRun)
}

const reading = async (
  handler: Handler<'reads'>,
  call: Call,
  input: AnyInput,
  found: Promise<unknown> | undefined,
): Promise<Outgoing> => ({
  answer: readingOf(await handler.answer(call, input, await found)),
})

const writing = async (
  arrived: Arrived,
  call: Call,
  input: AnyInput,
  problems: readonly Problem[],
): Promise<Outgoing> => {
  const { context, operation, upload } = arrived
  const { handler } = operation
  const { dryRun } = call
  const member = await memberOf(arrived, call, input, problems)
  const write = () => context.engine.perform(member)
  const isStored = upload !== undefined && problems.length === 0 && !dryRun
  const outcome = isStored ? await withStoredFile(context, upload, write) : await write()
  // Again on a replay: whoever was cut off before may rely on it all the same.
  if (outcome.kind !== 'refused' && !dryRun && 'afterwards' in handler) {
    await handler.afterwards?.(call)
  }
  return outgoingOf(outcome, dryRun)
}

const callOf = (arrived: Arrived, caller: Caller, dryRun: boolean): Call => {
  const { context, requestId, address, key, request, upload } = arrived
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

const memberOf = async (
  { context, operation, key, path, bytes }: Arrived,
  call: Call,
  input: AnyInput,
  problems: readonly Problem[],
): Promise<Member> => {
  const { id: organization } = call.organization
  const write = await writeOf(operation, call, input, problems)
  const { requestId, dryRun } = call
  const member: Member = { organization, requestId, dryRun, bytes, write }
  if (key === null) return member
  const { method } = operation
  const asked = { method, path, body: input.body }
  member.idempotency = idempotencyOf(context.keyring.replies, organization, key, asked)
  return member
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
    const decision = isRefused ? undefined : await attempt(() => handler.decision(call, input))
    return {
      kind: 'decided',
      needs: decision !== undefined && 'made' in decision ? decision.made.needs : {},
      decide: (world) => {
        if (decision === undefined) throw invalid(problems)
        if ('refused' in decision) throw decision.refused
        return answerOf(operation, decision.made.decide(world))
      },
    }
  }
  const sealed = operation.showsSecret === true
  if (handler.kind === 'calls') {
    let record: Recording<unknown> | undefined
    return {
      kind: 'alone',
      sealed,
      outside: async () => {
        if (isRefused) throw invalid(problems)
        record = await handler.call(call, input)
      },
      run: async (tx) => answerOf(operation, await record!(tx)),
    }
  }
  if (handler.kind !== 'runs') throw new Error('a write decides, calls or runs')
  return {
    kind: 'alone',
    sealed,
    run: async (tx) => {
      if (isRefused) throw invalid(problems)
      return answerOf(operation, await handler.run(tx, call, input))
    },
  }
}

const attempt = async <T>(
  make: () => T | Promise<T>,
): Promise<{ made: T } | { refused: unknown }> => {
  try {
    return { made: await make() }
  } catch (error) {
    return { refused: error }
  }
}

const outgoingOf = (outcome: Outcome, dryRun: boolean): Outgoing => {
  if (outcome.kind === 'refused') return { refusal: outcome.refusal }
  if (outcome.kind === 'replayed') {
    return { answer: outcome.answer, originalRequest: outcome.originalRequest }
  }
  if (!dryRun) return { answer: outcome.answer }
  // What was not made has no place.
  const { location: _, ...answer } = outcome.answer
  return { answer: { ...answer, status: 200 }, dryRun }
}
