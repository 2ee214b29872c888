/**
 * Reads of many callers on a few pipelined connections. PostgreSQL runs the statements of a
 * connection one after the other, so one that takes long holds up those behind it. When its caller
 * has hung up, the connection is closed, and PostgreSQL cancels the statement; the statements of
 * callers who still wait are sent again, since reading twice changes nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { abandonedReads } from '../contract/work-classes.ts'
import { type Requester, RequestAbandoned, tooManyWaiting } from './fair-queue.ts'
import type { RowSeals } from './row-seals.ts'
import { type Connection, type Queryable, type SqlQuery } from './sql.ts'

/** A statement that was sent and has no result yet. */
interface PendingStatement {
  requester: Requester
  connection: Connection
}

type Send<T> = (connection: Connection) => Promise<T>

export class SharedReads {
  readonly #connections: readonly SharedConnection[]
  readonly #seals: RowSeals
  readonly #waitMaxMs: number
  #turn = 0

  constructor(connections: readonly ConnectionSource[], seals: RowSeals, waitMaxMs: number) {
    this.#seals = seals
    this.#connections = connections.map((source) => new SharedConnection(source))
    this.#waitMaxMs = waitMaxMs
  }

  /** Sends each statement to the next connection in turn. */
  for(requester: Requester): Queryable {
    return {
      seals: this.#seals,
      rows: <R>(query: SqlQuery) => this.#send(requester, (on) => on.rows<R>(query)),
      row: <R>(query: SqlQuery) => this.#send(requester, (on) => on.row<R>(query)),
      run: (query) => this.#send(requester, (on) => on.run(query)),
    }
  }

  async #send<T>(requester: Requester, send: Send<T>): Promise<T> {
    const shared = this.#connections[this.#turn++ % this.#connections.length]!
    let endsAt: number | undefined
    for (;;) {
      const connection = await shared.source.get()
      const statement = { requester, connection }
      shared.add(statement)
      try {
        return await send(connection)
      } catch (error) {
        if (!shared.hasClosed(connection)) throw error
      } finally {
        shared.delete(statement)
      }
      if (requester.signal?.aborted === true) {
        // Its organization keeps this place, or its next statement would precede the others here.
        await sleep(abandonedReads.placeHeldMs)
        throw new RequestAbandoned('the caller hung up')
      }
      endsAt ??= performance.now() + this.#waitMaxMs
      if (performance.now() > endsAt) throw tooManyWaiting()
    }
  }
}

interface ConnectionSource {
  get(): Promise<Connection>
}

class SharedConnection {
  readonly source: ConnectionSource
  /** In the order in which PostgreSQL runs them. */
  readonly #pending = new Set<PendingStatement>()
  readonly #closed = new WeakSet<Connection>()
  /** The statement that was running at the last look. */
  #seenRunning: PendingStatement | undefined
  #isWatched = false

  constructor(source: ConnectionSource) {
    this.source = source
  }

  add(statement: PendingStatement): void {
    this.#pending.add(statement)
    if (this.#isWatched) return
    this.#isWatched = true
    this.#lookLater()
  }

  delete(statement: PendingStatement): void {
    this.#pending.delete(statement)
  }

  /** Whether the connection was closed because a caller had hung up. */
  hasClosed(connection: Connection): boolean {
    return this.#closed.has(connection)
  }

  /** Closes the connection if it has been running one statement since the last look, for nobody. */
  #look(): void {
    const [running] = this.#pending
    const isSlow = running !== undefined && running === this.#seenRunning
    if (isSlow && running.requester.signal?.aborted === true) {
      this.#closed.add(running.connection)
      running.connection.destroy()
    }
    this.#seenRunning = running
    this.#isWatched = running !== undefined
    if (this.#isWatched) this.#lookLater()
  }

  #lookLater(): void {
    setTimeout(() => this.#look(), abandonedReads.lookEveryMs)
  }
}
