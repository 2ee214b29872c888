/**
 * How every operation is declared. Routes, validation, the OpenAPI document and the docs derive
 * from the declaration. The handler follows in a second call (`reads`, `decides`, `transacts`, …),
 * so that TypeScript checks it against the declared path, query, body and response.
 */
import type { Static, TSchema } from 'typebox'
import type { Call, CallingOrganization, Context } from '../context.ts'
import type { Deprecation } from '../contract/deprecation.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { Family } from '../contract/families.ts'
import type { Problem } from '../contract/problem.ts'
import type { UnknownFieldHints } from '../contract/unknown-field-hints.ts'
import type { WorkClass } from '../contract/work-classes.ts'
import type { Scope } from '../contract/scopes.ts'
import type { ReplyFacts } from '../engine/write-request.ts'
import type { RowsToLock } from '../engine/rows-to-lock.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'
import type { IsAbandoned } from '../database/batch-loader.ts'
import type { Requester } from '../database/fair-queue.ts'
import type { Connection } from '../database/sql.ts'
import { rowOf, withFields } from './field-selection.ts'
import type { ExactBytes, JsonText, LiveChanges, StreamedText } from './reply-bodies.ts'

/**
 * Who may call. `public`: anyone. `any`: any valid credential. `scoped`: all of the scopes.
 * `session`: a signed-in person. `admin`: an admin session only. `admin or scoped`: either.
 * `approver`: whoever approves.
 */
export type Allowed =
  | 'public'
  | 'any'
  | 'scoped'
  | 'session'
  | 'admin'
  | 'admin or scoped'
  | 'approver'

export interface Declaration<P extends string, Q, B, R> {
  /** `resource.verb`, or one word: operationId, SDK method, command, tool name and docs anchor. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: P
  /** Undefined: always on, whatever FAMILIES says. */
  family?: Family
  /** Another family without which it is not served, though it does not belong to it. */
  alsoNeeds?: Family
  summary: string
  description?: string
  /** The contract version it came with. */
  since: string
  /** Every response says so, and so do the docs. */
  deprecation?: Deprecation
  allowed: Allowed
  scopes?: readonly Scope[]
  query?: Q
  body?: B
  response: R
  /** Given if the response is a text in this format, not JSON. */
  mediaType?: 'text/csv' | 'text/event-stream'
  /** 202: the work follows; only outside of the versioned contract. */
  status?: 200 | 201 | 202
  errors?: readonly ErrorCode[]
  /**
   * The response shows a secret: it is stored encrypted, and its Idempotency-Key is not recorded.
   */
  showsSecret?: boolean
  /**
   * Whose connections and queue it uses. Without one, a page is a list and a transaction one of the
   * `writes`; a read by key and a batched write need no turn.
   */
  workClass?: WorkClass | ((query: Record<string, unknown>) => WorkClass)
  /** The body is a multipart form with one file, not JSON: attached if stored, else only read. */
  takesFile?: { maxBytes: number; isStored: boolean }
  /** Refuses a file before any of it is received. The transaction checks the same again. */
  checkBeforeFile?: (
    context: Context,
    organization: CallingOrganization,
    params: Record<string, string>,
  ) => Promise<void>
  /**
   * Outside of the versioned contract: no OpenAPI entry, no Idempotency-Key, no family (sign-in).
   */
  isUnversioned?: boolean
  /** What some bodies need beyond `family` and `scopes`: a transition may execute a payment. */
  bodyRequires?: Requirement
  /** The same for parameters, such as those that ask for more than the operation itself shows. */
  queryRequires?: Requirement
  /** What to say about fields, or parameters of a read, that callers send although none exists. */
  unknownFieldHints?: UnknownFieldHints
  /** The fields of a list's rows that a table shows unless others are asked for. */
  summaryFields?: readonly string[]
  /** The same for its tool, where a hundred rows of the table would be too long for a model. */
  toolFields?: readonly string[]
  /** The rows of a page of its tool unless it asks for others, where rows have long texts. */
  toolPageDefault?: number
}

export interface Requirement {
  /** Whether this body, or these parameters, need it; they are not checked yet. */
  appliesTo(given: unknown): boolean
  family: Family
  /** All scopes of the call, for the refusal that lists them. */
  scopes: readonly Scope[]
}

type ParameterNames<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never

export type PathParameters<P extends string> = { [Name in ParameterNames<P>]: string }

type StaticOf<S> = S extends TSchema ? Static<S> : undefined

export interface Input<P extends string, Q, B> {
  params: PathParameters<P>
  query: StaticOf<Q>
  body: StaticOf<B>
}

export interface Reply<R> extends ReplyFacts {
  body: R | JsonText<R> | ExactBytes<R> | StreamedText<R> | LiveChanges<R>
}

export interface Decision<R> {
  needs: RowsToLock
  decide(unit: UnitOfWork): Reply<R>
}

/** What is known of a caller who needs no credential. */
export interface AnonymousCaller {
  address: string
  requestId: string
  headers: Partial<Record<'cookie' | 'origin' | 'user-agent', string | undefined>>
  /** Nobody is known yet, so callers take turns by their networks. */
  requester: Requester
  dryRun: boolean
}

/** Writes down what a call to the outside came to. */
export type RecordResult<R> = (tx: Connection) => Promise<Reply<R>>

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
        answer(context: Context, input: AnyInput, from: AnonymousCaller): Promise<Reply<unknown>>
      }
    | {
        kind: 'reads'
        /**
         * Starts before the caller is known; `answer` checks that the caller may see the result.
         */
        prefetch?(
          context: Context,
          params: Record<string, string>,
          isAbandoned: IsAbandoned,
        ): Promise<unknown>
        answer(call: Call, input: AnyInput, found: unknown): Promise<Reply<unknown>>
      }
    | {
        kind: 'decides'
        decision(call: Call, input: AnyInput): Decision<unknown> | Promise<Decision<unknown>>
      }
    | {
        kind: 'transacts'
        run(tx: Connection, call: Call, input: AnyInput): Promise<Reply<unknown>>
        /** Runs after COMMIT and before the response is sent. */
        afterCommit?(call: Call, response: string): Promise<void>
      }
    | {
        kind: 'callsOut'
        call(call: Call, input: AnyInput): Promise<RecordResult<unknown>>
        afterCommit?(call: Call, response: string): Promise<void>
      }
  /**
   * What its schema cannot say of a body. The handler refuses it. The pipeline does if more is
   * wrong with the body, or instead of what the handler says of records.
   */
  problems?: (body: never, further: SemanticContext) => readonly Problem[]
}

export type HandlerOf<Kind> = Operation['handler'] & { kind: Kind }

/**
 * Context of the checks that a schema cannot express. They also run on a body that failed its
 * schema; the fields that failed are removed first.
 */
export interface SemanticContext {
  /** The date of the calling organization. */
  today: string
  /** Neither this field nor one inside it failed the schema. */
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
  const query = withFields(declaration.query, declaration.response)
  const build = (handler: unknown, more: object = {}): Operation =>
    ({ ...declaration, ...(query && { query }), ...more, handler }) as unknown as Operation
  interface More {
    problems?: (body: StaticOf<B>, further: SemanticContext) => readonly Problem[]
    /** Runs after COMMIT and before the response is sent. */
    afterCommit?: (call: Call, response: string) => Promise<void>
  }
  const buildWrite = (handler: object, { problems, afterCommit }: More): Operation =>
    build(
      { ...handler, ...(afterCommit === undefined ? {} : { afterCommit }) },
      problems === undefined ? {} : { problems },
    )
  return {
    /** Needs no credential. */
    answersPublic: (
      answer: (context: Context, input: In, from: AnonymousCaller) => Promise<Reply<Static<R>>>,
    ) => build({ kind: 'public', answer }),
    /** Reads; never writes. */
    reads: (answer: (call: Call, input: In) => Promise<Reply<Static<R>>>) =>
      build({ kind: 'reads', answer }),
    /**
     * Reads, and starts to load while the caller is authenticated: one database round trip instead
     * of two. `answer` checks that the caller may see what was loaded.
     */
    prefetches: <F>(
      prefetch: (
        context: Context,
        params: PathParameters<P>,
        isAbandoned: IsAbandoned,
      ) => Promise<F>,
      answer: (call: Call, input: In, found: F) => Promise<Reply<Static<R>>>,
    ) => build({ kind: 'reads', prefetch, answer }),
    /** A batched write: decides over locked rows, in a transaction shared with others. */
    decides: (
      decision: (call: Call, input: In) => Decision<Static<R>> | Promise<Decision<Static<R>>>,
      problems?: (body: StaticOf<B>, further: SemanticContext) => readonly Problem[],
    ) => build({ kind: 'decides', decision }, problems === undefined ? {} : { problems }),
    /** A write in a transaction of its own. */
    transacts: (
      run: (tx: Connection, call: Call, input: In) => Promise<Reply<Static<R>>>,
      more: More = {},
    ) => buildWrite({ kind: 'transacts', run }, more),
    /** Calls a third party, or makes other changes, before its own transaction begins. */
    callsOut: (
      call: (call: Call, input: In) => Promise<RecordResult<Static<R>>>,
      more: More = {},
    ) => buildWrite({ kind: 'callsOut', call }, more),
  }
}

export const workClassOf = (
  { workClass, query, response }: Operation,
  input: AnyInput,
): WorkClass | undefined => {
  if (typeof workClass === 'function') return workClass(input.query as Record<string, unknown>)
  if (workClass !== undefined) return workClass
  return rowOf(query, response) === undefined ? undefined : 'lists'
}
