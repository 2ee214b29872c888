/** The pool against a server that answers with chosen bytes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { withoutSeals } from '../../src/database/row-seals.ts'
import { openDatabase } from '../../src/database/pool.ts'
import {
  CommitOutcomeUnknown,
  Connection,
  DatabaseUnavailable,
  sql,
} from '../../src/database/sql.ts'

/** A message of PostgreSQL's protocol: its type, its length and its body. */
const message = (type: string, body: string): Buffer => {
  const bytes = Buffer.alloc(5 + body.length)
  bytes.write(type)
  bytes.writeInt32BE(4 + body.length, 1)
  bytes.write(body, 5)
  return bytes
}

const authenticationOk = message('R', '\0\0\0\0')
const readyForQuery = message('Z', 'I')
const ending = (code: string): Buffer =>
  message('E', `SFATAL\0C${code}\0Mterminating connection\0\0`)

test('a connection that PostgreSQL ends with the bytes that open it is an outage, not a crash', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.end(Buffer.concat([authenticationOk, readyForQuery, ending('57P01')])),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const database = openDatabase(`postgresql://postgres@127.0.0.1:${port}/docex`, withoutSeals)
  await assert.rejects(
    database.transaction((tx) => tx.run(sql`select 1`)),
    DatabaseUnavailable,
  )
  await database.close()
  server.close()
})

test('a statement that meets the end of an idle session is an outage, and so may be repeated', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([authenticationOk, readyForQuery]))
      socket.once('data', () => socket.end(ending('57P05')))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const url = `postgresql://postgres@127.0.0.1:${port}/docex`
  const connection = await Connection.open(url, 'docex test')
  await assert.rejects(connection.run(sql`select 1`), DatabaseUnavailable)
  server.close()
})

/** A connection to a server that answers every statement with these messages. */
const answeredWith = async (answer: Buffer[]): Promise<Connection> => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([authenticationOk, readyForQuery]))
      socket.on('data', () => socket.write(Buffer.concat([...answer, readyForQuery])))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  return Connection.open(`postgresql://postgres@127.0.0.1:${port}/docex`, 'docex test')
}

const error = (code: string): Buffer => message('E', `SERROR\0C${code}\0Mit failed\0\0`)

test('a statement is an outage if a connection pooler has lost the server, and a COMMIT uncertain', async () => {
  const reading = await answeredWith([error('08P01')])
  await assert.rejects(reading.run(sql`select 1`), DatabaseUnavailable)
  assert(reading.isBroken)
  const committing = await answeredWith([error('08007')])
  await assert.rejects(committing.commit(), CommitOutcomeUnknown)
})

const committed = [...['1', '2', 'n'].map((type) => message(type, '')), message('C', 'COMMIT\0')]

/** A warning, with the routine of PostgreSQL that gives it, as poolers may leave out. */
const warning = (routine: string): Buffer =>
  message('N', `SWARNING\0C01000\0Min any language\0${routine}\0`)

test('a COMMIT that a synchronous standby may lack is uncertain', async () => {
  const certain = await answeredWith(committed)
  await certain.commit()
  certain.destroy()
  for (const routine of ['RSyncRepWaitForLSN\0', '']) {
    const doubtful = await answeredWith([warning(routine), ...committed])
    await assert.rejects(doubtful.commit(), CommitOutcomeUnknown)
    assert(doubtful.isBroken)
  }
})

test('a COMMIT with a warning about something else is certain', async () => {
  const warned = await answeredWith([warning('Rexec_stmt_raise\0'), ...committed])
  await warned.commit()
  assert(!warned.isBroken)
  warned.destroy()
})

test('a closed database opens no connection again, which would keep the process alive', async () => {
  let opened = 0
  const server = createServer(() => (opened += 1))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const database = openDatabase(`postgresql://postgres@127.0.0.1:${port}/docex`, withoutSeals)
  await database.close()
  for (const { rows } of [database.read, database.credentials, database.background]) {
    await assert.rejects(rows(sql`select 1`), DatabaseUnavailable)
  }
  server.close()
  await once(server, 'close')
  assert.equal(opened, 0)
})
