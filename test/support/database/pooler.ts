/** A stand-in for a connection pooler between the service and the PostgreSQL of a test. */
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { after } from 'node:test'
import pg from 'pg'

/**
 * `drops settings`: each client has a session of its own, without the settings that it asked for.
 * `shares sessions`: all clients have the same session, as they may in transaction mode.
 */
type PoolerFault = 'drops settings' | 'shares sessions'

const endOfClient = 'X'.charCodeAt(0)

/** The startup message without its parameter `options`. */
const withoutOptions = (startup: Buffer): Buffer => {
  const words = startup.toString('latin1', 8).split('\0')
  const at = words.indexOf('options')
  const body = Buffer.from(words.toSpliced(at, 2).join('\0'), 'latin1')
  const message = Buffer.alloc(8 + body.length)
  message.writeInt32BE(message.length, 0)
  startup.copy(message, 4, 4, 8)
  body.copy(message, 8)
  return message
}

/** Returns the URL of a pooler for the database at `url`, whose server is reached by a socket. */
export const startPooler = async (url: string, fault: PoolerFault): Promise<string> => {
  const { host, port, user, database } = new pg.Client(url)
  const path = `${host}/.s.PGSQL.${port}`
  const sockets = new Set<Socket>()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {})
  }
  let shared: { session: Socket; greeting: Buffer } | undefined
  let current: Socket | undefined
  const shareSession = async (client: Socket, startup: Buffer): Promise<void> => {
    current = client
    if (shared === undefined) {
      const session = track(connect(path))
      session.write(startup)
      const [greeting] = (await once(session, 'data')) as [Buffer]
      session.on('data', (bytes: Buffer) => current?.write(bytes))
      shared = { session, greeting }
    }
    client.write(shared.greeting)
    const { session } = shared
    client.on('data', (bytes: Buffer) => {
      current = client
      if (bytes[0] === endOfClient) client.end()
      else session.write(bytes)
    })
  }
  const server = createServer((client) => {
    track(client)
    client.once('data', (startup: Buffer) => {
      if (fault === 'shares sessions') return void shareSession(client, startup)
      const session = track(connect(path))
      session.write(withoutOptions(startup))
      client.pipe(session).pipe(client)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
  })
  return `postgresql://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`
}
