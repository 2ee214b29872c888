/**
 * The one form in which an operation is declared. Route, validation, OpenAPI document and docs page
 * derive from it; the handler is given with one of `reads`, `decides` and `runs`, so that the types
 * of path, query, body and reply hold in it.
 */
import type { Static, TSchema } from 'typebox'
import type { Call, Context } from '../context.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { Family } from '../contract/families.ts'
import type { Problem } from '../contract/problem.ts'
import type { Scope } from '../contract/scopes.ts'
import type { Answer, Needs } from '../engine/write-request.ts'
import type { World } from '../engine/unit-of-work.ts'
import type { Connection } from '../database/sql.ts'

/**
 * Who may call. `public`: anyone. `any`: any valid credential. `scoped`: all of the scopes.
 * `admin`: an admin session only. `admin or scoped`: either.
 */
export type Allowed = 'public' | 'any' | 'scoped' | 'admin' | 'admin or scoped'

export interface Declaration<P extends string, Q, B, R> {
  /** `resource.verb`: operationId, SDK method, CLI command, tool name and docs anchor. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: P
  /** Undefined: always on, whatever FAMILIES says. */
  family?: Family
  summary: string
  description?: string
  /** The contract version it came with. */
  since: string
  allowed: Allowed
  scopes?: readonly Scope[]
  query?: Q
  body?: B
  response: R
  status?: 200 | 201
  errors?: readonly ErrorCode[]
  /** The answer shows a secret: kept sealed, and its Idempotency-Key recorded nowhere. */
  showsSecret?: boolean
  /** The body is a form with one file, not JSON (attachments). */
  takesFile?: boolean
  /** Not part of the contract: not in OpenAPI, no Idempotency-Key, no family (sign-in). */
  outside?: boolean
}

type ParameterNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never

export type Parameters<P extends string> = { [Name in ParameterNames<P>]: string }

type Of<S> = S extends TSchema ? Static<S> : undefined

export interface Input<P extends string, Q, B> {
  params: Parameters<P>
  query: Of<Q>
  body: Of<B>
}

/**
 * JSON text of an R that was made as text: spliced from stored parts, never parsed and printed
 * again. A long one may stay in pieces, which meet where they are sent.
 */
export class JsonText<R> {
  readonly text: string | readonly string[]
  declare readonly shape: R
  constructor(text: string | readonly string[]) {
    this.text = text
  }
}

export interface Reply<R> {
  body: R | JsonText<R>
  etag?: string
  location?: string
  resourceId?: string
  /** Headers of this answer alone; reads only. */
  headers?: Readonly<Record<string, string>>
}

export interface Decision<R> {
  needs: Needs
  decide(world: World): Reply<R>
}

/** What is known of a caller who needs no credential. */
export interface Anyone {
  address: string
  dryRun: boolean
}

/** Writes down what a call to the outside came to. */
export type Recording<R> = (tx: Connection) => Promise<Reply<R>>

/** An operation with its handler, as the pipeline sees it. */
export interface Operation extends Declaration<
  string,
  TSchema | undefined,
  TSchema | undefined,
  TSchema
> {
  handler:
    | {
        kind: 'public'
        answer(context: Context, input: AnyInput, from: Anyone): Promise<Reply<unknown>>
      }
    | {
        kind: 'reads'
        /** Begun before the caller is known; what is found is shown only to whom it may be. */
        find?(context: Context, params: Record<string, string>): Promise<unknown>
        answer(call: Call, input: AnyInput, found: unknown): Promise<Reply<unknown>>
      }
    | {
        kind: 'decides'
        decision(call: Call, input: AnyInput): Decision<unknown> | Promise<Decision<unknown>>
      }
    | {
        kind: 'runs'
        run(tx: Connection, call: Call, input: AnyInput): Promise<Reply<unknown>>
        /** Work that follows from it, done after it was committed and before the answer leaves. */
        afterwards?(call: Call): Promise<void>
      }
    | {
        kind: 'calls'
        call(call: Call, input: AnyInput): Promise<Recording<unknown>>
        afterwards?(call: Call): Promise<void>
      }
  /** Problems of the body that its schema cannot say. */
  problems?: (body: never, further: Further) => readonly Problem[]
}

/**
 * What is known when problems that no schema can say are asked of a body that its schema has
 * refused: the places that were refused are left out of it.
 */
export interface Further {
  /** The date of the calling organization. */
  today: string
  /** Neither the place nor one inside it was refused. */
  isSound(param: string): boolean
}

export type AnyInput = Input<string, TSchema, TSchema>

export const operation = <
  const P extends string,
  R extends TSchema,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  declaration: Declaration<P, Q, B, R>,
) => {
  type In = Input<P, Q, B>
  const made = (handler: unknown, more: object = {}): Operation =>
    ({ ...declaration, ...more, handler }) as unknown as Operation
  return {
    /** Answers anyone. */
    answers: (answer: (context: Context, input: In, from: Anyone) => Promise<Reply<Static<R>>>) =>
      made({ kind: 'public', answer }),
    /** Reads; never writes. */
    reads: (answer: (call: Call, input: In) => Promise<Reply<Static<R>>>) =>
      made({ kind: 'reads', answer }),
    /**
     * Reads what takes no caller to find while the caller is being looked up: one wait for the
     * database instead of two. `answer` sees to it that he may see what was found.
     */
    finds: <F>(
      find: (context: Context, params: Parameters<P>) => Promise<F>,
      answer: (call: Call, input: In, found: F) => Promise<Reply<Static<R>>>,
    ) => made({ kind: 'reads', find, answer }),
    /** Decides over locked rows, in a batch with others. */
    decides: (
      decision: (call: Call, input: In) => Decision<Static<R>> | Promise<Decision<Static<R>>>,
      problems?: (body: Of<B>, further: Further) => readonly Problem[],
    ) => made({ kind: 'decides', decision }, problems === undefined ? {} : { problems }),
    /** Writes alone in a transaction of its own. */
    runs: (
      run: (tx: Connection, call: Call, input: In) => Promise<Reply<Static<R>>>,
      more: {
        problems?: (body: Of<B>, further: Further) => readonly Problem[]
        /** After COMMIT, before the answer leaves. */
        afterwards?: (call: Call) => Promise<void>
      } = {},
    ) => {
      const { problems, afterwards } = more
      return made(
        { kind: 'runs', run, ...(afterwards === undefined ? {} : { afterwards }) },
        problems === undefined ? {} : { problems },
      )
    },
    /**
     * Calls strangers, or makes other changes, first, while no transaction is open; then writes
     * alone in its own.
     */
    calls: (
      call: (call: Call, input: In) => Promise<Recording<Static<R>>>,
      more: { afterwards?: (call: Call) => Promise<void> } = {},
    ) => made({ kind: 'calls', call, ...more }),
  }
}

const textOf = ({ body }: Reply<unknown>): string | readonly string[] =>
  body instanceof JsonText ? body.text : JSON.stringify(body)

const joined = (text: string | readonly string[]): string =>
  typeof text === 'string' ? text : text.join('')

export const answerOf = (declared: { status?: 200 | 201 }, reply: Reply<unknown>): Answer =>
  withHeaders<Answer>({ status: declared.status ?? 200, body: joined(textOf(reply)) }, reply)

/** The answer of a read: a long one stays in pieces. */
export const readingOf = (reply: Reply<unknown>): Reading =>
  withHeaders<Reading>({ status: 200, body: textOf(reply) }, reply)

type Headers = Pick<Answer, 'etag' | 'location' | 'resourceId' | 'headers'>
export type Reading = Headers & { status: number; body: string | readonly string[] }

const withHeaders = <A extends Headers>(answer: A, reply: Headers): A => {
  const { etag, location, resourceId, headers } = reply
  if (etag !== undefined) answer.etag = etag
  if (location !== undefined) answer.location = location
  if (resourceId !== undefined) answer.resourceId = resourceId
  if (headers !== undefined) answer.headers = headers
  return answer
}
