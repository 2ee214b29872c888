/**
 * Calls to strangers (reliability 4.6): whatever the receiver does, nothing takes longer than it
 * may, and no answer is larger than it may be. Hostile urls are in hostile-urls.test.ts.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type Server as HttpServer, createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type Socket, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Resolve } from '../../src/outbound/egress.ts'
import { openOutbound } from '../../src/outbound/client.ts'
import { listen } from '../support/webhooks/receiver.ts'
import { until } from '../support/service.ts'

const resolve: Resolve = async (name) =>
  ['receiver.example', 'other.example'].includes(name) ? ['127.0.0.1'] : []
const outbound = openOutbound(resolve)
const allowPrivate = { allowsPrivate: true }

describe('receivers that misbehave', () => {
  const post = async (port: number, scheme = 'http', host = '127.0.0.1') => {
    const line = outbound.client(`${scheme}://${host}:${port}/hooks`, allowPrivate)
    const answered = await line.post({}, '{"id":"evt_1"}')
    line.close()
    return answered
  }
  const http = async (handle: Parameters<typeof createHttp>[1]) =>
    listen(createHttp(handle as never) as HttpServer)

  describe('bounds on time', { concurrency: true }, () => {
    test(
      'hangs, or answers byte by byte: over after 15 s in all',
      { timeout: 40_000 },
      async () => {
        const silent = await listen(createServer(() => {}))
        const dribbling = await listen(
          createServer((socket) => {
            socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
            const timer = setInterval(() => socket.write('x'), 100)
            socket.on('close', () => clearInterval(timer))
          }),
        )
        const slowHead = await listen(
          createServer((socket) => {
            const timer = setInterval(() => socket.write('H'), 100)
            socket.on('close', () => clearInterval(timer))
          }),
        )
        const answers = await Promise.all([silent, dribbling, slowHead].map((port) => post(port)))
        for (const { error, durationMs } of answers.slice(0, 2)) {
          assert.equal(error, 'no complete answer within 15 s')
          assert(durationMs >= 14_900 && durationMs < 17_000, String(durationMs))
        }
        assert.equal(answers[1]!.status, 200, 'what was seen of it is told')
        assert.equal(answers[2]!.error, 'the answer is not HTTP')
      },
    )

    test('a name whose answer never comes: over after 5 s', { timeout: 15_000 }, async () => {
      const stuck = openOutbound(() => new Promise(() => {}))
      const line = stuck.client('https://stuck.example/', allowPrivate)
      const { error, durationMs } = await line.post({}, '{}')
      assert.equal(error, 'no connection within 5 s')
      assert(durationMs < 6_000)
    })
  })

  test('resets, closes, refuses, or does not speak HTTP', async () => {
    const resetting = await listen(
      createServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    )
    const closing = await listen(createServer((socket) => socket.once('data', () => socket.end())))
    const babbling = await listen(createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n')))
    const gone = createServer()
    const refusing = await listen(gone)
    gone.close()
    const errors = await Promise.all(
      [resetting, closing, babbling, refusing].map(async (port) => (await post(port)).error),
    )
    assert.deepEqual(errors, [
      'the connection was reset',
      'the connection was reset',
      'the answer is not HTTP',
      'the connection was refused',
    ])
  })

  test('goes away with eight calls under way: the next ones fail at once, none waits', async () => {
    const held = new Set<Socket>()
    const server = createServer((socket) => void held.add(socket))
    const line = outbound.client(`http://127.0.0.1:${await listen(server)}/`, allowPrivate)
    const calls = Array.from({ length: 8 }, async () => [
      await line.post({}, '{}'),
      await line.post({}, '{}'),
    ])
    await until('all are under way', () => held.size === 8)
    server.close()
    for (const socket of held) socket.destroy()
    for (const [broken, next] of await Promise.all(calls)) {
      assert.equal(broken!.error, 'the connection was reset')
      assert.equal(next!.error, 'the connection was refused')
    }
    line.close()
  })

  test('what is kept of an answer ends with a whole character', async () => {
    const long = await http((_, response) => void response.end(`x${'é'.repeat(4000)}`))
    assert.equal((await post(long)).body, `x${'é'.repeat(2047)}`)
  })

  test('interim answers are passed over, except for a switch of protocols', async () => {
    const answering = (text: string) =>
      listen(createServer((socket) => socket.once('data', () => socket.write(text))))
    const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const answers = [
      `HTTP/1.1 100 Continue\r\n\r\n${final}`,
      `HTTP/1.1 102 Processing\r\n\r\n${hints}HTTP/1.1 100 Continue\r\n\r\n${final}`,
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n',
    ]
    const switched = [101, 'answered 101: protocols are not switched']
    assert.deepEqual(
      await Promise.all(
        answers.map(async (text) => {
          const { status, error } = await post(await answering(text))
          return [status, error]
        }),
      ),
      [[200, null], [200, null], switched, switched, [null, 'the answer is not HTTP']],
    )
  })

  test('answers 10 MB: 4 KiB are kept, and no more than about 64 KiB are read', async () => {
    let written = 0
    const port = await http((_, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const more = () => {
        while (written < 10 * 1024 * 1024) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    const { status, error, body } = await post(port)
    assert.deepEqual([status, error, body!.length], [200, null, 4096])
    assert(written < 8 * 1024 * 1024, `${written} bytes left the receiver`)
  })

  test('answers with 100 KiB of headers', async () => {
    const port = await listen(
      createServer((socket) =>
        socket.once('data', () =>
          socket.write(`HTTP/1.1 200 OK\r\n${`X-A: ${'b'.repeat(1000)}\r\n`.repeat(100)}\r\n`),
        ),
      ),
    )
    assert.equal((await post(port)).error, 'the answer has too many headers')
  })

  test('redirects to a private address: nothing follows', async () => {
    let reached = 0
    const privatePort = await listen(createServer(() => (reached += 1)))
    const port = await http((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${privatePort}/` }).end()
    })
    assert.equal((await post(port)).status, 307)
    assert.equal(reached, 0)
  })

  test('proxy variables of the environment are not looked at', async () => {
    let reached = 0
    const proxyPort = await listen(createServer(() => (reached += 1)))
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'ALL_PROXY']) {
      process.env[name] = `http://127.0.0.1:${proxyPort}`
    }
    const port = await http((_, response) => void response.end('direct'))
    assert.equal((await post(port)).body, 'direct')
    assert.equal(reached, 0)
  })

  test('TLS: the certificate must be valid, and for the name that was asked for', async () => {
    const pem = readFileSync(
      new URL('../support/webhooks/receiver.example.pem', import.meta.url),
      'utf8',
    )
    const server = createHttps({ key: pem, cert: pem }, (request, response) => {
      response.end(request.headers.host)
    })
    const port = await listen(server)
    const plain = await http((_, response) => void response.end())
    assert.match((await post(port, 'https', 'receiver.example')).error!, /^TLS failed: /)
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, pem])
    try {
      const good = await post(port, 'https', 'receiver.example')
      assert.deepEqual([good.status, good.body], [200, `receiver.example:${port}`])
      const wrong = await post(port, 'https', 'other.example')
      assert.equal(wrong.error, 'TLS failed: ERR_TLS_CERT_ALTNAME_INVALID')
      assert.match((await post(plain, 'https', 'receiver.example')).error!, /^TLS failed: /)
    } finally {
      setDefaultCACertificates(before)
    }
  })

  test('of several addresses, the failure that tells most is told', async () => {
    const port = await http((_, response) => void response.end())
    for (const addresses of [
      ['127.0.0.1', '127.0.0.2'],
      ['127.0.0.2', '127.0.0.1'],
    ]) {
      const line = openOutbound(async () => addresses).client(
        `https://both.example:${port}/`,
        allowPrivate,
      )
      assert.match((await line.post({}, '{}')).error!, /^TLS failed: /)
    }
  })

  test('an address is not called a name', async () => {
    const line = outbound.client('https://10.0.0.1/', { allowsPrivate: false })
    assert.equal((await line.post({}, '{}')).error, 'the address is not public')
  })
})
