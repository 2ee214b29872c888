/**
 * A TCP proxy for PostgreSQL that recognizes where a statement begins and where a transaction ends.
 * A test can hold a statement back, lose a COMMIT, or lose the response to it.
 */
import { once } from 'node:events'
import { type Server, type Socket, connect, createServer } from 'node:net'
import { after } from 'node:test'

/**
 * `pass`: nothing happens. `lose the request`: the connection breaks before PostgreSQL reads the
 * COMMIT. `lose the response`: PostgreSQL commits, and the connection breaks before it can reply.
 */
export type CommitFault = 'pass' | 'lose the request' | 'lose the response'

export interface DatabaseProxy {
  url: string
  /** The COMMITs received so far. */
  commitCount: number
  /**
   * Decides what happens to the next COMMIT, given the tables that its transaction has written; the
   * COMMIT waits for a returned promise.
   */
  onCommit: (written: ReadonlySet<string>) => CommitFault | Promise<CommitFault>
  /** The statements received so far, COMMITs included; a test may reset it. */
  statementCount: number
  /** Runs before each statement is forwarded, and may hold it back. */
  onStatement: () => void | Promise<void>
  /** Breaks every connection at once. */
  disconnectAll(): void
}

/** Starts a proxy for the database at `target`, a URL with host and port. */
export const startDatabaseProxy = async (target: string): Promise<DatabaseProxy> => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ host: hostname, port: Number(port), noDelay: true })
    const cutBoth = () => [client, database].forEach(reset)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        cutBoth()
      })
    }
    relay({ client, database, proxy, cutBoth })
  })
  const proxy: DatabaseProxy = {
    url: await urlOf(server, target),
    commitCount: 0,
    onCommit: () => 'pass',
    statementCount: 0,
    onStatement: () => {},
    disconnectAll: () => sockets.forEach(reset),
  }
  after(() => {
    proxy.disconnectAll()
    server.close()
  })
  return proxy
}

/**
 * A socket that is shutting down cannot be reset: libuv refuses, Node.js still considers it
 * closing, and the process then spins forever when it exits.
 */
const reset = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

const urlOf = async (server: Server, target: string): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  const address = server.address()
  url.host = `127.0.0.1:${typeof address === 'object' ? address!.port : 0}`
  return url.href
}

interface Relay {
  client: Socket
  database: Socket
  proxy: DatabaseProxy
  cutBoth(): void
}

const relay = ({ client, database, proxy, cutBoth }: Relay): void => {
  let dropsResponse = false
  /** The table that each prepared statement writes, by the statement's name. */
  const tableByStatement = new Map<string, string>()
  let written = new Set<string>()
  const toDatabase = async (): Promise<void> => {
    for await (const message of messages(client, true)) {
      const prepared = preparedWrite(message)
      if (prepared !== undefined) tableByStatement.set(prepared.name, prepared.table)
      if (isBind(message)) {
        const table = tableByStatement.get(cStringsOf(message)[1]!)
        if (table !== undefined) written.add(table)
        proxy.statementCount += 1
        await proxy.onStatement()
      }
      if (isCommit(message)) {
        proxy.commitCount += 1
        const fault = await proxy.onCommit(written)
        written = new Set()
        if (fault === 'lose the request') return cutBoth()
        dropsResponse ||= fault === 'lose the response'
      }
      database.write(message)
    }
  }
  const toClient = async (): Promise<void> => {
    for await (const message of messages(database, false)) {
      if (dropsResponse && hasCommitted(message)) return cutBoth()
      client.write(message)
    }
  }
  // A broken socket ends both directions; the engine under test reports the outcome.
  for (const relayAll of [toDatabase, toClient]) void relayAll().catch(cutBoth)
}

/** Yields whole messages: type, length, content. A client's first message has no type. */
async function* messages(socket: Socket, isClient: boolean): AsyncGenerator<Buffer> {
  let pending = Buffer.alloc(0)
  let typeBytes = isClient ? 0 : 1
  for await (const chunk of socket) {
    pending = Buffer.concat([pending, chunk as Buffer])
    while (pending.length >= typeBytes + 4) {
      const size = typeBytes + pending.readInt32BE(typeBytes)
      if (pending.length < size) break
      yield pending.subarray(0, size)
      pending = pending.subarray(size)
      typeBytes = 1
    }
  }
}

/** The zero-terminated strings of a message. */
const cStringsOf = (message: Buffer): string[] => message.toString('latin1', 5).split('\0')

/** For the Parse of an insert or update: the name of the statement, and its table. */
const preparedWrite = (message: Buffer): { name: string; table: string } | undefined => {
  if (message.toString('latin1', 0, 1) !== 'P') return undefined
  const [name = '', text = ''] = cStringsOf(message)
  const table = /^\s*(?:insert into|update) (\w+)/.exec(text)?.[1]
  return table === undefined ? undefined : { name, table }
}

/** Every statement is prepared, so each execution begins with a Bind. */
const isBind = (message: Buffer): boolean => message.toString('latin1', 0, 1) === 'B'

/** Bind of the statement named `commit` to the unnamed portal. */
const isCommit = (message: Buffer): boolean =>
  isBind(message) && message.toString('latin1', 5, 13) === '\0commit\0'

/** CommandComplete with the tag COMMIT. */
const hasCommitted = (message: Buffer): boolean =>
  message.toString('latin1', 0, 1) === 'C' && message.toString('latin1', 5) === 'COMMIT\0'
