/** The connections of a process: readers, the engine's lanes, transactions, listeners. */
import pg from 'pg'
import { limits } from '../contract/limits.ts'
import {
  Connection,
  DatabaseUnavailable,
  type Queryable,
  clientConfig,
  inSnapshot,
  inTransaction,
} from './sql.ts'

/**
 * Lanes look rows up by key only. A plan cached while a table was empty would scan the whole table
 * as it grows, until the next analyze.
 */
const laneOptions = ' -c enable_seqscan=off'

/** One plan for all values: planning takes as long as reading a page. */
const pageOptions = `${laneOptions} -c plan_cache_mode=force_generic_plan`

/** A connection that is opened when first needed, and again after it breaks. */
export class ReconnectingConnection {
  readonly #open: () => Promise<Connection>
  #current: Promise<Connection> | undefined
  #live: Connection | undefined

  constructor(open: () => Promise<Connection>) {
    this.#open = open
  }

  async get(): Promise<Connection> {
    if (this.#live !== undefined && !this.#live.isBroken) return this.#live
    this.#current ??= this.#open()
      .then((connection) => (this.#live = connection))
      .finally(() => (this.#current = undefined))
    return this.#current
  }

  async close(): Promise<void> {
    await this.#current?.catch(() => {})
    await this.#live?.close()
  }
}

export interface Database {
  /** Autocommit statements, spread over a few shared pipelined connections. */
  readonly read: Queryable
  /** The same for pages and searches, with generic plans. */
  readonly pageReads: Queryable
  /** A transaction on a connection of its own. */
  transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** The same, rolled back at the end, for dry runs. */
  rolledBack<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** All reads of `work` see one snapshot. */
  snapshot<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** A connection for one lane of the engine. */
  dedicated(name: string): ReconnectingConnection
  /**
   * Listens on the channel; call it again to reconnect. A notification is only a hint that
   * something committed: listeners must poll as well.
   */
  listen(channel: string, onNotification: () => void): Promise<void>
  close(): Promise<void>
}

/** Sends each statement to the next connection in turn. */
const roundRobin = (connections: readonly ReconnectingConnection[]): Queryable => {
  let turn = 0
  const next = () => connections[turn++ % connections.length]!.get()
  return {
    rows: async (query) => (await next()).rows(query),
    run: async (query) => (await next()).run(query),
  }
}

export const openDatabase = (url: string): Database => {
  const dedicated = (name: string, options = '') => {
    const connection = new ReconnectingConnection(() => Connection.open(url, name, options))
    connections.push(connection)
    return connection
  }
  const connections: ReconnectingConnection[] = []
  const listeners = new Map<string, ReconnectingConnection>()
  const readers = Array.from({ length: limits.readConnections }, (_, i) =>
    dedicated(`docex read ${i}`),
  )
  const pageReaders = Array.from({ length: limits.readConnections }, (_, i) =>
    dedicated(`docex pages ${i}`, pageOptions),
  )
  const transactions = openTransactionPool(url)
  return {
    read: roundRobin(readers),
    pageReads: roundRobin(pageReaders),
    transaction: async (work) => transactions.use((tx) => inTransaction(tx, work)),
    snapshot: async (work) => transactions.use((tx) => inSnapshot(tx, work)),
    rolledBack: async (work) => transactions.use((tx) => inTransaction(tx, work, false)),
    dedicated: (name) => dedicated(name, laneOptions),
    listen: async (channel, onNotification) => {
      let listener = listeners.get(channel)
      if (listener === undefined) {
        listener = new ReconnectingConnection(async () => {
          const connection = await Connection.open(url, `docex listen ${channel}`)
          await connection.listen(channel, onNotification)
          return connection
        })
        listeners.set(channel, listener)
        connections.push(listener)
      }
      await listener.get()
    },
    close: async () => {
      await Promise.all([
        ...connections.map((connection) => connection.close()),
        transactions.close(),
      ])
    },
  }
}

/** Connections that are lent to one caller at a time; callers wait in order, up to a deadline. */
const openTransactionPool = (url: string) => {
  const pool = new pg.Pool({
    ...clientConfig(url, 'docex transactions'),
    max: limits.transactionConnections,
    connectionTimeoutMillis: limits.transactionWaitMaxMs,
    idleTimeoutMillis: 0,
  })
  // The pool drops an idle client that fails; the next caller gets another one.
  pool.on('error', () => {})
  const connections = new WeakMap<pg.PoolClient, Connection>()
  let ended: Promise<void> | undefined
  return {
    use: async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
      const client = await pool.connect().catch((error: unknown) => {
        throw new DatabaseUnavailable('no connection for a transaction', { cause: error })
      })
      const connection = connections.get(client) ?? new Connection(client)
      connections.set(client, connection)
      try {
        return await work(connection)
      } finally {
        client.release(connection.isBroken)
      }
    },
    close: () => (ended ??= pool.end()),
  }
}
