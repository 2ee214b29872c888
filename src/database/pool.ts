/** Which connections a process has, and who is lent one: readers, lanes, transactions, ears. */
import { limits } from '../contract/limits.ts'
import { Connection, type Queryable, inSnapshot, inTransaction } from './sql.ts'

/**
 * Lanes look rows up by key only. A plan that was kept since a table was empty would go on reading
 * all of it while it grows, until the next analyze.
 */
const laneOptions = ' -c enable_seqscan=off'

/** One plan for all values, made once: making it takes as long as reading a page by it. */
const pageOptions = `${laneOptions} -c plan_cache_mode=force_generic_plan`

/** A connection that is opened when first needed and again after it broke. */
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
  /** The same for pages and searches: one plan serves whatever their values. */
  readonly pageReads: Queryable
  /** One business change that does not go through the batched engine, alone on a connection. */
  transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** The same, rolled back at its end: what it would have answered. */
  rolledBack<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** All that `work` reads is of one moment. */
  snapshot<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** A connection of its own for a lane of the engine. */
  dedicated(name: string): ReconnectingConnection
  /**
   * Sees to it that notices of the channel are heard; again after the connection broke. Notices are
   * a hint that something committed: whoever relies on them also looks from time to time.
   */
  listen(channel: string, onNotification: () => void): Promise<void>
  close(): Promise<void>
}

/** Each statement goes to the next connection in turn. */
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
  const transactions = new Pool(
    () => Connection.open(url, 'docex plain'),
    limits.transactionConnections,
  )
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
          const connection = await Connection.open(url, `docex hear ${channel}`)
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

/** A bounded set of connections, each lent to one caller at a time; callers wait in order. */
class Pool {
  readonly #open: () => Promise<Connection>
  readonly #max: number
  readonly #idle: Connection[] = []
  readonly #waiting: (() => void)[] = []
  #lent = 0

  constructor(open: () => Promise<Connection>, max: number) {
    this.#open = open
    this.#max = max
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#lent >= this.#max) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else {
      this.#lent += 1
    }
    let connection: Connection | undefined
    try {
      do connection = this.#idle.pop()
      while (connection?.isBroken)
      connection ??= await this.#open()
      return await work(connection)
    } finally {
      if (connection !== undefined && !connection.isBroken) this.#idle.push(connection)
      const next = this.#waiting.shift()
      // The place passes to the next in line, or is free again.
      if (next === undefined) this.#lent -= 1
      else next()
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map((connection) => connection.close()))
  }
}
