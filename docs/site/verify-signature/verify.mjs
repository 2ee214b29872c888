import { createHmac, timingSafeEqual } from 'node:crypto'

// body: the raw request body, before any JSON parsing.
export function verify(secret, header, body, now = Date.now() / 1000) {
  const entries = header.split(',').map((part) => part.split('='))
  const t = entries.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^[0-9]+$/.test(t) || Math.abs(now - Number(t)) > 300) return false
  const expected = createHmac('sha256', secret)
    .update(t + '.')
    .update(body)
    .digest()
  return entries.some(([name, hex = '']) => {
    const actual = Buffer.from(hex, 'hex')
    return name === 'v1' && actual.length === expected.length && timingSafeEqual(actual, expected)
  })
}
