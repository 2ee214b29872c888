/** clients.md 2: when a request is sent again, by a clock that the test moves. */
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { mock, test } from 'node:test'
import { ApiError, Docex } from '../src/index.ts'

const stepMs = 10

/** Refuses with these headers, one refusal after the other, and then answers. */
const play = (refusals: readonly Record<string, string>[], now: () => number) => {
  const left = [...refusals]
  const sentAt: number[] = []
  const fetch = async (): Promise<Response> => {
    sentAt.push(now())
    const headers = left.shift()
    if (headers === undefined) return Response.json({}, { headers: { 'svc-api-version': '1' } })
    const error = { code: 'service_unavailable', message: 'Later.', request_id: 'req_1' }
    const all = { 'svc-should-retry': 'true', ...headers }
    return Response.json({ error }, { status: 503, headers: all })
  }
  return { fetch, sentAt }
}

/** How long the client waits before each further request, and how the call ends. */
const waits = async (refusals: readonly Record<string, string>[]) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  try {
    const { fetch, sentAt } = play(refusals, () => Date.now())
    const options = { apiKey: 'rk_test_x', baseUrl: 'http://docex.test', fetch }
    const client = new Docex({ ...options, maxRetries: refusals.length, timeoutMs: 1_000_000 })
    const call = client.me.get().then(
      () => undefined,
      (error: unknown) => error,
    )
    let isOver = false
    void call.then(() => (isOver = true))
    while (!isOver) {
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      if (!isOver) mock.timers.tick(stepMs)
    }
    return { gaps: sentAt.slice(1).map((at, i) => at - sentAt[i]!), error: await call }
  } finally {
    mock.timers.reset()
  }
}

test('Retry-After is waited for, in seconds or as a date', async () => {
  const date = new Date(3_000).toUTCString()
  for (const [retryAfter, ms] of [
    ['1', 1_000],
    [date, 3_000],
    ['0', 0],
  ] as const) {
    const { gaps, error } = await waits([{ 'retry-after': retryAfter }])
    assert.equal(error, undefined)
    assert(gaps[0]! >= ms && gaps[0]! <= ms + 2 * stepMs, `${retryAfter}: ${gaps}`)
  }
})

test('without Retry-After it is any time up to a bound, which doubles from 0.5 to 8 s', async () => {
  const drawn = Array.from({ length: 6 }, () => ({}))
  const shares: number[] = []
  for (let i = 0; i < 4; i += 1) {
    const { gaps } = await waits(drawn)
    assert.equal(gaps.length, 6)
    for (const [failures, gap] of gaps.entries()) {
      const bound = Math.min(8_000, 500 * 2 ** failures)
      assert(gap <= bound + 2 * stepMs, `attempt ${failures}: ${gap} ms`)
      shares.push(gap / bound)
    }
  }
  // Of 24 draws, all in the same half once in eight million runs.
  assert(Math.min(...shares) < 0.5 && Math.max(...shares) > 0.5, shares.join(' '))
})

test('more than a minute is left to the caller: the error comes at once, with the header', async () => {
  const { gaps, error } = await waits([{ 'retry-after': '61' }])
  assert.deepEqual(gaps, [])
  assert(error instanceof ApiError)
  assert.equal(error.headers.get('retry-after'), '61')
  const longest = await waits([{ 'retry-after': '60' }])
  assert(longest.gaps[0]! >= 60_000, String(longest.gaps))
})

test('events.follow waits no longer than a timer can, and not at all too short for it', async () => {
  const { fetch } = play([{ 'retry-after': '9999999' }], () => 0)
  const asked: number[] = []
  const timer = mock.method(globalThis, 'setTimeout', (_: () => void, ms: number) => {
    asked.push(ms)
    return undefined
  })
  const stopped = new AbortController()
  try {
    const docex = new Docex({
      apiKey: 'rk_test_x',
      baseUrl: 'http://docex.test',
      fetch,
      maxRetries: 0,
    })
    const events = docex.events.follow({ signal: stopped.signal })
    const end = events.next()
    while (asked.length < 2) await setImmediate()
    stopped.abort()
    await end
  } finally {
    timer.mock.restore()
  }
  // That of the attempt, and the pause after it.
  assert.deepEqual(asked, [30_000, 2 ** 31 - 1])
})

test('JSON that somebody on the way calls a text is JSON all the same', async () => {
  const headers = { 'svc-api-version': '1', 'content-type': 'text/plain' }
  const fetch = async () => new Response('{"organization":{"id":"org_1"}}', { headers })
  const docex = new Docex({ apiKey: 'rk_test_x', baseUrl: 'http://docex.test', fetch })
  assert.equal((await docex.me.get()).organization.id, 'org_1')
})
