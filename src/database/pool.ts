/**
 * The connections of a process. Each class of work has its own, so that no class waits for another:
 * look-ups of credentials, point reads, the classes of `contract/work-classes.ts`, the lanes of the
 * engine, and the work that nobody asked for.
 */
import pg from 'pg'
import { limits } from '../contract/limits.ts'
import { type WorkClass, workClasses } from '../contract/work-classes.ts'
import { sharedConnections } from './connection-counts.ts'
import { giveUpUnreadable } from './driver-socket.ts'
import type { RowSeals } from './row-seals.ts'
import { FairQueue, RequestAbandoned, type Requester } from './fair-queue.ts'
import { SharedReads } from './shared-reads.ts'
import {
  Connection,
  DatabaseUnavailable,
  type Queryable,
  type SqlQuery,
  clientConfig,
} from './sql.ts'
import { inRolledBackTransaction, inSnapshot, inTransaction } from './transactions.ts'

/**
 * Lanes, the delivery worker and the reads of requests look rows up by key. A plan made while a
 * table was empty would scan the whole table as it grows, until the next analyze.
 */
const byKeyOptions = ' -c enable_seqscan=off'

/**
 * One plan for all values: a batch with few writes, or a page, takes longer to plan than to read
 * (docs/decisions/0268).
 */
const laneOptions = `${byKeyOptions} -c plan_cache_mode=force_generic_plan`

/** No document is on a page twice: PostgreSQL need not copy each, a fifth of its time. */
const pageOptions = `${laneOptions} -c enable_memoize=off`

/** Between the statements of snapshots, which hold no locks, long histories are verified. */
const idleTimeout = `idle_in_transaction_session_timeout=${limits.idleInSnapshotTimeoutMs}`
const heavyOptions = `${pageOptions} -c ${idleTimeout}`

/** A connection that is opened when first needed, and again after it breaks. */
export class ReconnectingConnection {
  readonly #open: () => Promise<Connection>
  #current: Promise<Connection> | undefined
  #live: Connection | undefined
  #isClosed = false

  constructor(open: () => Promise<Connection>) {
    this.#open = open
  }

  async get(): Promise<Connection> {
    if (this.#isClosed) throw new DatabaseUnavailable('the service is stopping')
    if (this.#live !== undefined && !this.#live.isBroken) return this.#live
    this.#current ??= this.#open()
      .then((connection) => (this.#live = connection))
      .finally(() => (this.#current = undefined))
    return this.#current
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#current?.catch(() => {})
    await this.#live?.close()
  }
}

/** What a request of one class of work reads and writes with. */
export interface RequestDatabase {
  readonly read: Queryable
  /** The same with one plan for all values, for pages and searches. */
  readonly pages: Queryable
  transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** A transaction that is rolled back at the end, for dry runs. */
  rolledBack<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** All reads of `work` see one snapshot. */
  snapshot<T>(work: (tx: Connection) => Promise<T>): Promise<T>
}

type RequestWork<T> = (database: RequestDatabase) => Promise<T>

export interface Database {
  /** Look-ups of credentials alone: autocommit statements on shared pipelined connections. */
  readonly credentials: Queryable
  /** Single rows by key, spread over a few shared pipelined connections. */
  readonly read: Queryable
  /** Statements of tasks. */
  readonly background: Queryable
  /** A transaction of a task, on a connection of its own. */
  transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /** All reads of a task see one snapshot. */
  snapshot<T>(work: (tx: Connection) => Promise<T>): Promise<T>
  /**
   * Does what a caller asked for when it is the organization's turn. When the caller hangs up,
   * PostgreSQL cancels the statement. Throws a Refusal when too many wait.
   */
  perform<T>(workClass: WorkClass, requester: Requester, work: RequestWork<T>): Promise<T>
  /** A connection for one lane of the engine. */
  lane(name: string): ReconnectingConnection
  /** A connection of its own for work that looks rows up by key. */
  dedicated(name: string): ReconnectingConnection
  /**
   * Listens on the channel; call it again to reconnect. A notification is only a hint that
   * something committed: listeners must poll as well. An empty one says that a connection was
   * opened, and that some may have been missed before.
   */
  listen(channel: string, onNotification: (payload: string) => void): Promise<void>
  close(): Promise<void>
}

/** Sends each statement to the next connection in turn. */
const roundRobin = (connections: Connections, seals: RowSeals): Queryable => {
  let turn = 0
  const next = () => connections[turn++ % connections.length]!.get()
  return {
    seals,
    rows: async (query) => (await next()).rows(query),
    row: async (query) => (await next()).row(query),
    run: async (query) => (await next()).run(query),
  }
}

export const openDatabase = (url: string, seals: RowSeals): Database => {
  const dedicated = (name: string, options = '') => {
    const connection = new ReconnectingConnection(() =>
      Connection.open(url, name, { seals, options }),
    )
    connections.push(connection)
    return connection
  }
  const connections: ReconnectingConnection[] = []
  const listeners = new Map<string, ReconnectingConnection>()
  const several = (name: keyof typeof sharedConnections, options = '') =>
    Array.from({ length: sharedConnections[name] }, (_, i) =>
      dedicated(`docex ${name} ${i}`, options),
    )
  const inTurn = (name: keyof typeof sharedConnections, options = '') =>
    roundRobin(several(name, options), seals)
  const tasks = openPool({ url, seals }, 'docex tasks', limits.backgroundConnections)
  const pooled = {
    credentials: openPooledWork({ url, seals }, 'credentials'),
    writes: openPooledWork({ url, seals }, 'writes', byKeyOptions),
    heavy: openPooledWork({ url, seals }, 'heavy', heavyOptions),
  }
  const classes = {
    ...pooled,
    lists: openLists(several('lists', byKeyOptions), several('pages', pageOptions), seals),
  }
  return {
    credentials: inTurn('callers', byKeyOptions),
    read: inTurn('read', byKeyOptions),
    background: inTurn('background'),
    transaction: (work) => tasks.use((tx) => inTransaction(tx, work)),
    snapshot: (work) => tasks.use((tx) => inSnapshot(tx, work)),
    perform: (workClass, requester, work) => classes[workClass].perform(requester, work),
    lane: (name) => dedicated(name, laneOptions),
    dedicated: (name) => dedicated(name, byKeyOptions),
    listen: async (channel, onNotification) => {
      let listener = listeners.get(channel)
      if (listener === undefined) {
        listener = new ReconnectingConnection(async () => {
          const connection = await Connection.open(url, `docex listen ${channel}`)
          await connection.listen(channel, onNotification)
          onNotification('')
          return connection
        })
        listeners.set(channel, listener)
        connections.push(listener)
      }
      await listener.get()
    },
    close: async () => {
      const all = [...connections, tasks, ...Object.values(pooled)]
      await Promise.all(all.map((each) => each.close()))
    },
  }
}

interface PoolTarget {
  url: string
  seals: RowSeals
}

type UseConnection = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>

/** As many connections as may run at once. A connection whose caller hangs up is destroyed. */
const openPooledWork = (
  target: PoolTarget,
  workClass: Exclude<WorkClass, 'lists'>,
  options = '',
) => {
  const queue = new FairQueue(workClasses[workClass])
  const pool = openPool(target, `docex ${workClass}`, workClasses[workClass].running, options)
  const perform = async <T>(requester: Requester, work: RequestWork<T>): Promise<T> => {
    const { signal } = requester
    const inUse = new Set<Connection>()
    const interrupt = () => inUse.forEach((connection) => connection.destroy())
    signal?.addEventListener('abort', interrupt)
    try {
      return await work(
        requestDatabase(target.seals, (use) =>
          pool.use(async (connection) => {
            if (signal?.aborted === true) throw new RequestAbandoned('the caller hung up')
            inUse.add(connection)
            try {
              return await use(connection)
            } finally {
              inUse.delete(connection)
            }
          }),
        ),
      )
    } catch (error) {
      throw signal?.aborted === true ? new RequestAbandoned('the caller hung up') : error
    } finally {
      signal?.removeEventListener('abort', interrupt)
    }
  }
  return {
    perform: <T>(requester: Requester, work: RequestWork<T>) =>
      queue.run(requester, () => perform(requester, work)),
    close: pool.close,
  }
}

const requestDatabase = (seals: RowSeals, use: UseConnection): RequestDatabase => {
  const read = {
    seals,
    rows: <R>(query: SqlQuery) => use((connection) => connection.rows<R>(query)),
    row: <R>(query: SqlQuery) => use((connection) => connection.row<R>(query)),
    run: (query: SqlQuery) => use((connection) => connection.run(query)),
  }
  return {
    read,
    pages: read,
    transaction: (work) => use((tx) => inTransaction(tx, work)),
    rolledBack: (work) => use((tx) => inRolledBackTransaction(tx, work)),
    snapshot: (work) => use((tx) => inSnapshot(tx, work)),
  }
}

type Connections = readonly ReconnectingConnection[]

/**
 * Lists are short, since each reads a bounded number of rows: they share pipelined connections,
 * which serves a third more of them than a connection for each (docs/decisions/0045).
 */
const openLists = (forReads: Connections, forPages: Connections, seals: RowSeals) => {
  const queue = new FairQueue(workClasses.lists)
  const { waitMaxMs } = workClasses.lists
  const reads = new SharedReads(forReads, seals, waitMaxMs)
  const pages = new SharedReads(forPages, seals, waitMaxMs)
  const ownConnection = () => {
    throw new Error('a list has no connection of its own')
  }
  const own = { transaction: ownConnection, rolledBack: ownConnection, snapshot: ownConnection }
  const databaseOf = (requester: Requester): RequestDatabase => ({
    read: reads.for(requester),
    pages: pages.for(requester),
    ...own,
  })
  return {
    perform: <T>(requester: Requester, work: RequestWork<T>) =>
      queue.run(requester, () => work(databaseOf(requester))),
  }
}

/** Connections that are lent to one user at a time; users wait in order, up to a deadline. */
const openPool = ({ url, seals }: PoolTarget, name: string, max: number, options = '') => {
  const pool = new pg.Pool({
    ...clientConfig(url, name, options),
    max,
    connectionTimeoutMillis: limits.connectionWaitMaxMs,
    idleTimeoutMillis: 0,
  })
  // The pool drops an idle client that fails; the next user gets another one.
  pool.on('error', () => {})
  const connections = new WeakMap<pg.PoolClient, Connection>()
  // At once: PostgreSQL may end a connection with the very bytes that open it.
  pool.on('connect', (client) => {
    giveUpUnreadable(client)
    connections.set(client, new Connection(client, seals))
  })
  let ended: Promise<void> | undefined
  return {
    use: async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
      const client = await pool.connect().catch((error: unknown) => {
        throw new DatabaseUnavailable('no connection was free in time', { cause: error })
      })
      const connection = connections.get(client)!
      try {
        return await work(connection)
      } finally {
        client.release(connection.isBroken)
      }
    },
    close: () => (ended ??= pool.end()),
  }
}
