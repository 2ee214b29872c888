/**
 * An answer that the driver cannot read, such as a value of more characters than a string can have
 * (536,870,888), ends no process. Here a server of our own sends a row of -1 columns, on which the
 * driver fails just so, and which takes no gigabyte of memory.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { after, test } from 'node:test'
import { UnreadableAnswer } from '../../src/database/driver-socket.ts'
import { isOutage } from '../../src/database/outages.ts'
import { Connection, DatabaseUnavailable, sql } from '../../src/database/sql.ts'

const message = (type: string, body: readonly number[] = []): Buffer =>
  Buffer.from([type.charCodeAt(0), 0, 0, 0, body.length + 4, ...body])

const isReady = message('Z', ['I'.charCodeAt(0)])
const opened = Buffer.concat([message('R', [0, 0, 0, 0]), isReady])
const unreadableRow = Buffer.concat([
  message('1'),
  message('2'),
  message('T', [0, 0]),
  message('D', [0xff, 0xff]),
])

const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket)
  socket.once('data', () => {
    socket.write(opened)
    socket.on('data', () => socket.write(unreadableRow))
  })
  socket.on('error', () => {})
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})
const { port } = server.address() as AddressInfo

test('the statement fails, those behind it may be repeated, and the process goes on', async () => {
  const connection = await Connection.open(`postgres://user@127.0.0.1:${port}/any`, 'test')
  const [first, behind] = await Promise.allSettled([
    connection.rows(sql`select 1`),
    connection.rows(sql`select 2`),
  ])
  assert(first!.status === 'rejected' && behind!.status === 'rejected')
  assert(first.reason instanceof UnreadableAnswer, String(first.reason))
  assert.match(String(first.reason.cause), /Invalid array length/)
  assert.equal(isOutage(first.reason), false, 'the same statement fails again')
  assert(behind.reason instanceof DatabaseUnavailable, String(behind.reason))
  assert.equal(connection.isBroken, true)
})
