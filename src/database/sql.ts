/**
 * Access to PostgreSQL: the sql`…` tag and connections. The only importer of pg.
 *
 * Invariants: every statement is prepared under a name derived from its text; a connection that
 * failed in transit is destroyed, never reused; a COMMIT counts only when its command tag is
 * COMMIT, since in a failed pipelined transaction COMMIT *fulfils* with the tag ROLLBACK.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { limits } from '../contract/limits.ts'
import { giveUpUnreadable, isOfUnreadableAnswer, socketOf } from './driver-socket.ts'
import { doubtsStandby, endsSession } from './lost-sessions.ts'
import { sessionTarget } from './session-options.ts'
import { type RowSeals, withoutSeals } from './row-seals.ts'

/** A statement with its values. A query inside another one is spliced into it. */
export interface SqlQuery {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]
}

export const sql = (texts: TemplateStringsArray, ...parts: readonly unknown[]): SqlQuery => {
  const outTexts = [texts[0] ?? '']
  const values: unknown[] = []
  const append = (text: string) => {
    outTexts[outTexts.length - 1] += text
  }
  parts.forEach((part, i) => {
    if (isQuery(part)) {
      append(part.texts[0] ?? '')
      part.values.forEach((value, k) => {
        values.push(value)
        outTexts.push(part.texts[k + 1] ?? '')
      })
    } else {
      values.push(part)
      outTexts.push('')
    }
    append(texts[i + 1] ?? '')
  })
  return { texts: outTexts, values }
}

/** Text that becomes part of the statement itself. Only for constants, never for input. */
export const raw = (text: string): SqlQuery => ({ texts: [text], values: [] })

/** A row count: for one that is a parameter, the planner assumes a tenth of the table. */
export const inlined = (value: number): SqlQuery => raw(String(value))

const isQuery = (part: unknown): part is SqlQuery =>
  typeof part === 'object' && part !== null && 'texts' in part && 'values' in part

const preparedStatements = new Map<string, { text: string; name: string }>()

const preparedStatementOf = (query: SqlQuery): { text: string; name: string } => {
  const key = query.texts.length === 1 ? (query.texts[0] ?? '') : query.texts.join('\0')
  let statement = preparedStatements.get(key)
  if (statement === undefined) {
    const text = query.texts.reduce((all, next, i) => `${all}$${i}${next}`)
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 20)
    statement = { text, name }
    preparedStatements.set(key, statement)
  }
  return statement
}

/** Runs statements. On a single connection they run in the order in which they are called. */
export interface Queryable {
  readonly seals: RowSeals
  rows<R>(query: SqlQuery): Promise<R[]>
  /** The first row, if there is one. */
  row<R>(query: SqlQuery): Promise<R | undefined>
  /** The number of rows the statement touched. */
  run(query: SqlQuery): Promise<number>
}

/** Nothing took effect: the database could not be reached or did not respond in time. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
}

/** The response to COMMIT was lost: the transaction may or may not have committed. */
export class CommitOutcomeUnknown extends Error {
  override name = 'CommitOutcomeUnknown'
}

/** The SQLSTATE and the violated constraint, if the server reported this error. */
export const databaseError = (error: unknown): { code: string; constraint?: string } | undefined =>
  error instanceof pg.DatabaseError && error.code !== undefined
    ? { code: error.code, ...(error.constraint ? { constraint: error.constraint } : {}) }
    : undefined

/** SQLSTATE of every statement after one of its transaction has failed. */
const inFailedTransaction = '25P02'

/** SQLSTATE of a statement behind the one that should have prepared it. */
const notPrepared = '26000'

const isServerError = (error: unknown): boolean => {
  const code = databaseError(error)?.code
  return code !== undefined && !endsSession(code)
}

/** '2026-11-21 01:40:00.12+00' → '2026-11-21T01:40:00.120Z'; sessions run in UTC. */
export const timestamp = (text: string): string => {
  if (text.length === 26) return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`
  const fraction = text.length > 22 && text[19] === '.' ? text.slice(20, text.indexOf('+', 20)) : ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`
}

const identity = (text: string) => text
const parsers: Record<number, (text: string) => unknown> = {
  16: (text) => text === 't',
  17: pg.types.getTypeParser(17, 'text'),
  20: BigInt,
  21: Number,
  23: Number,
  1009: pg.types.getTypeParser(1009 as never, 'text'),
  1184: timestamp,
}
const types = {
  getTypeParser: (oid: number) => parsers[oid] ?? identity,
} as unknown as pg.CustomTypesConfig

/** The port of the server that a URL names, whatever its form. */
export const portOfServer = (url: string): number => new pg.Client(url).port

export const clientConfig = (url: string, name: string, extraOptions = ''): pg.ClientConfig =>
  ({
    ...sessionTarget(url, extraOptions),
    application_name: name,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    query_timeout: limits.queryTimeoutMs,
    keepAlive: true,
    pipeline: true,
    types,
  }) as pg.ClientConfig

interface ConnectionOptions {
  seals?: RowSeals
  /** Further options of the session, in the form of libpq. */
  options?: string
  /** A statement without a result for as long gives the connection up. */
  queryTimeoutMs?: number
}

/** A pipelined connection: calls made in one turn of the event loop leave in one flush. */
export class Connection implements Queryable {
  readonly #client: pg.Client
  readonly seals: RowSeals
  #corked = false
  #doubts = 0
  /** Why the current transaction is aborted, if it is. */
  #abortedBy: unknown
  /** The last failure of each statement, by its name. */
  readonly #failures = new Map<string, unknown>()
  isBroken = false

  /** Takes over a client, which may be one of a pool. */
  constructor(client: pg.Client, seals: RowSeals) {
    this.#client = client
    this.seals = seals
    client.on('error', () => this.destroy())
    client.on('notice', (notice) => {
      if (doubtsStandby(notice)) this.#doubts += 1
    })
    client.on('end', () => {
      this.isBroken = true
    })
  }

  static async open(url: string, name: string, more: ConnectionOptions = {}): Promise<Connection> {
    const { seals = withoutSeals, options = '', queryTimeoutMs = limits.queryTimeoutMs } = more
    const config = { ...clientConfig(url, name, options), query_timeout: queryTimeoutMs }
    const client = new pg.Client(config)
    const connection = new Connection(client, seals)
    try {
      await client.connect()
    } catch (error) {
      connection.destroy()
      throw new DatabaseUnavailable('cannot connect to PostgreSQL', { cause: error })
    }
    giveUpUnreadable(client)
    return connection
  }

  async rows<R>(query: SqlQuery): Promise<R[]> {
    const result = await this.#send(query)
    const { rows } = result
    // A result may have been promoted to the old generation: do not let it keep its rows alive.
    result.rows = []
    return rows as R[]
  }

  async row<R>(query: SqlQuery): Promise<R | undefined> {
    return (await this.rows<R>(query))[0]
  }

  async run(query: SqlQuery): Promise<number> {
    return (await this.#send(query)).rowCount ?? 0
  }

  /** Calls back on every notification of the channel, as long as the connection lasts. */
  async listen(channel: string, onNotification: (payload: string) => void): Promise<void> {
    this.#client.on('notification', ({ payload }) => onNotification(payload ?? ''))
    await this.script(`listen ${channel}`)
  }

  /** Runs several statements without values, as in a migration. */
  async script(text: string): Promise<void> {
    await this.#client.query(text)
  }

  /** Commits; throws CommitOutcomeUnknown when nobody can say whether the transaction committed. */
  async commit(): Promise<void> {
    let result: pg.QueryResult
    const doubts = this.#doubts
    try {
      result = await this.#client.query({ text: 'commit', name: 'commit' })
    } catch (error) {
      if (isServerError(error)) throw error
      this.destroy()
      throw new CommitOutcomeUnknown('the response to COMMIT was lost', { cause: error })
    }
    if (result.command !== 'COMMIT')
      throw new Error('the transaction had failed and was rolled back')
    if (this.#doubts === doubts) return
    this.destroy()
    throw new CommitOutcomeUnknown('PostgreSQL gave up waiting for a standby to have the COMMIT')
  }

  destroy(): void {
    if (this.isBroken) return
    this.isBroken = true
    this.#client.end().catch(() => {})
    socketOf(this.#client).destroy()
  }

  async close(): Promise<void> {
    if (this.isBroken) return
    this.isBroken = true
    await this.#client.end()
  }

  async #send(query: SqlQuery): Promise<pg.QueryResult> {
    if (this.isBroken) throw new DatabaseUnavailable('the connection to PostgreSQL is gone')
    this.#corkForThisTurn()
    const { text, name } = preparedStatementOf(query)
    try {
      return await sent(this.#client, { text, name, values: query.values })
    } catch (error) {
      // From here, its stack leads back to who sent the statement, and not to the socket.
      if (error instanceof Error) Error.captureStackTrace(error)
      // After an error that the server reported, the connection remains usable.
      if (isServerError(error)) throw this.#causeOf(error, name)
      this.destroy()
      if (isOfUnreadableAnswer(error)) throw error
      throw new DatabaseUnavailable('the connection to PostgreSQL was lost', { cause: error })
    }
  }

  /** Statements behind one that failed fail as well: all of them report what went wrong first. */
  #causeOf(error: unknown, name: string): unknown {
    const code = databaseError(error)?.code
    if (code === inFailedTransaction) return this.#abortedBy ?? error
    if (code === notPrepared) return this.#failures.get(name) ?? error
    this.#abortedBy = error
    this.#failures.set(name, error)
    return error
  }

  #corkForThisTurn(): void {
    if (this.#corked) return
    this.#corked = true
    const socket = socketOf(this.#client)
    socket.cork()
    queueMicrotask(() => {
      this.#corked = false
      socket.uncork()
    })
  }
}

/** From its text alone: of an object, the driver copies every descriptor, which takes 5 µs. */
const sent = (
  client: pg.Client,
  { text, name, values }: { text: string; name: string; values: readonly unknown[] },
): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    const query = new pg.Query(text, values as unknown[])
    Object.assign(query, {
      name,
      callback: (error: Error | null, result: pg.QueryResult) =>
        error ? reject(error) : resolve(result),
    })
    client.query(query)
  })
