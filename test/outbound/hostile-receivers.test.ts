/**
 * Calls to misbehaving receivers (reliability 4.6): the time of a call and the size of its response
 * stay within their limits. Hostile URLs are in hostile-urls.test.ts.
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
import { stuckTestAfterMs, until } from '../support/until.ts'

const resolve: Resolve = async (name) =>
  ['receiver.example', 'other.example'].includes(name) ? ['127.0.0.1'] : []
const outbound = openOutbound(resolve)
const allowPrivate = { reach: 'private' } as const

describe('reliability 4.6: receivers that misbehave', () => {
  const post = async (port: number, scheme = 'http', host = '127.0.0.1') => {
    const line = outbound.client(`${scheme}://${host}:${port}/hooks`, allowPrivate)
    const result = await line.post({}, '{"id":"evt_1"}')
    line.close()
    return result
  }
  const http = async (handle: Parameters<typeof createHttp>[1]) =>
    listen(createHttp(handle as never) as HttpServer)

  describe('time limits', { concurrency: true }, () => {
    test(
      'a call to a receiver that hangs or responds byte by byte ends after 15 s',
      { timeout: stuckTestAfterMs },
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
        const results = await Promise.all([silent, dribbling, slowHead].map((port) => post(port)))
        for (const { error, durationMs } of results.slice(0, 2)) {
          assert.equal(error, 'no complete response within 15 s')
          assert(durationMs >= 14_900, String(durationMs))
        }
        assert.equal(results[1]!.status, 200, 'the status is reported')
        assert.equal(results[2]!.error, 'the response is not HTTP')
      },
    )

    test(
      'a call ends after 5 s if the name is not resolved',
      { timeout: stuckTestAfterMs },
      async () => {
        const stuck = openOutbound(() => new Promise(() => {}))
        const line = stuck.client('https://stuck.example/', allowPrivate)
        assert.equal((await line.post({}, '{}')).error, 'no connection within 5 s')
      },
    )
  })

  test('a reset, a close, a refusal and a response that is not HTTP are reported', async () => {
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
      'the response is not HTTP',
      'the connection was refused',
    ])
  })

  test('if a receiver disappears during eight calls, they and the next calls fail at once', async () => {
    const held = new Set<Socket>()
    const server = createServer((socket) => void held.add(socket))
    const line = outbound.client(`http://127.0.0.1:${await listen(server)}/`, allowPrivate)
    const calls = Array.from({ length: 8 }, async () => [
      await line.post({}, '{}'),
      await line.post({}, '{}'),
    ])
    await until('all calls are in flight', () => held.size === 8)
    server.close()
    for (const socket of held) socket.destroy()
    for (const [broken, next] of await Promise.all(calls)) {
      assert.equal(broken!.error, 'the connection was reset')
      assert.equal(next!.error, 'the connection was refused')
    }
    line.close()
  })

  test('the stored part of a response ends with a whole character', async () => {
    const long = await http((_, response) => void response.end(`x${'é'.repeat(4000)}`))
    assert.equal((await post(long)).body, `x${'é'.repeat(2047)}`)
  })

  test('interim responses are skipped, except for a protocol switch', async () => {
    const answering = (text: string) =>
      listen(createServer((socket) => socket.once('data', () => socket.write(text))))
    const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const responses = [
      `HTTP/1.1 100 Continue\r\n\r\n${final}`,
      `HTTP/1.1 102 Processing\r\n\r\n${hints}HTTP/1.1 100 Continue\r\n\r\n${final}`,
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n',
    ]
    const switched = [101, 'status 101: protocol switches are not supported']
    assert.deepEqual(
      await Promise.all(
        responses.map(async (text) => {
          const { status, error } = await post(await answering(text))
          return [status, error]
        }),
      ),
      [[200, null], [200, null], switched, switched, [null, 'the response is not HTTP']],
    )
  })

  test('of a 10 MB response, 4 KiB are stored and only a small part is read', async () => {
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

  test('a response with 100 KiB of headers is an error', async () => {
    const port = await listen(
      createServer((socket) =>
        socket.once('data', () =>
          socket.write(`HTTP/1.1 200 OK\r\n${`X-A: ${'b'.repeat(1000)}\r\n`.repeat(100)}\r\n`),
        ),
      ),
    )
    assert.equal((await post(port)).error, 'the response has too many headers')
  })

  test('a redirect to a private address is not followed', async () => {
    let reached = 0
    const privatePort = await listen(createServer(() => (reached += 1)))
    const port = await http((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${privatePort}/` }).end()
    })
    assert.equal((await post(port)).status, 307)
    assert.equal(reached, 0)
  })

  test('proxy variables of the environment are ignored', async () => {
    let reached = 0
    const proxyPort = await listen(createServer(() => (reached += 1)))
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'ALL_PROXY']) {
      process.env[name] = `http://127.0.0.1:${proxyPort}`
    }
    const port = await http((_, response) => void response.end('direct'))
    assert.equal((await post(port)).body, 'direct')
    assert.equal(reached, 0)
  })

  test('the TLS certificate must be valid, and issued for the requested name', async () => {
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

  test('of failures at several addresses, the most informative one is reported', async () => {
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

  test('an error about an address does not call it a name', async () => {
    const line = outbound.client('https://10.0.0.1/', { reach: 'public' })
    assert.equal((await line.post({}, '{}')).error, 'the address is not public')
  })
})
