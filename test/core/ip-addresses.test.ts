/**
 * IP addresses and ranges: contract 3 and 11 (host bits set = 400), reliability 2 "CIDR
 * allow-list" and 4.7. Tables come first, then properties checked against node:net.
 */
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  type Cidr,
  callerAddress,
  cidrContains,
  formatAddress,
  formatCidr,
  parseAddress,
  parseCidr,
} from '../../src/core/identity/ip-addresses.ts'

function cidr(text: string): Cidr {
  const parsed = parseCidr(text)
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.message)
  return parsed.cidr
}

/** Splits a table into rows of cells; `-` is an absent header. */
const rows = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))

/** The range of a key, the peer, the caller derived from it, and whether the range admits it. */
const withoutHeader = `
 rule                   | peer                     | caller             | in
 ───────────────────────┼──────────────────────────┼────────────────────┼────
 203.0.113.0/24         | 203.0.113.0              | 203.0.113.0        | yes
 203.0.113.0/24         | 203.0.113.255            | 203.0.113.255      | yes
 203.0.113.0/24         | 203.0.112.255            | 203.0.112.255      | no
 203.0.113.0/24         | 203.0.114.0              | 203.0.114.0        | no
 203.0.113.7            | 203.0.113.7              | 203.0.113.7        | yes
 203.0.113.7            | 203.0.113.8              | 203.0.113.8        | no
 203.0.113.6/31         | 203.0.113.7              | 203.0.113.7        | yes
 203.0.113.6/31         | 203.0.113.8              | 203.0.113.8        | no
 10.0.0.0/9             | 10.127.255.255           | 10.127.255.255     | yes
 10.0.0.0/9             | 10.128.0.0               | 10.128.0.0         | no
 128.0.0.0/1            | 128.0.0.0                | 128.0.0.0          | yes
 128.0.0.0/1            | 127.255.255.255          | 127.255.255.255    | no
 0.0.0.0/0              | 0.0.0.0                  | 0.0.0.0            | yes
 0.0.0.0/0              | 255.255.255.255          | 255.255.255.255    | yes
 0.0.0.0/0              | 2001:db8::1              | 2001:db8::1        | no
 ::/0                   | 2001:db8::1              | 2001:db8::1        | yes
 ::/0                   | ::                       | ::                 | yes
 ::/0                   | 8.8.8.8                  | 8.8.8.8            | no
 ::/0                   | ::ffff:8.8.8.8           | 8.8.8.8            | no
 2001:db8::/32          | 2001:db8:ffff::1         | 2001:db8:ffff::1   | yes
 2001:db8::/32          | 2001:db9::               | 2001:db9::         | no
 2001:db8::/32          | 2001:DB8::A              | 2001:db8::a        | yes
 2001:DB8::/32          | 2001:0db8:0:0:0:0:0:1    | 2001:db8::1        | yes
 2001:db8::1/128        | 2001:db8::2              | 2001:db8::2        | no
 2001:db8::1            | 2001:db8::1              | 2001:db8::1        | yes
 2001:db8::/33          | 2001:db8:7fff::          | 2001:db8:7fff::    | yes
 2001:db8::/33          | 2001:db8:8000::          | 2001:db8:8000::    | no
 fe80::/10              | febf::1                  | febf::1            | yes
 fe80::/10              | fec0::1                  | fec0::1            | no
 fe80::/10              | fe80::1%eth0             | fe80::1%eth0       | no
 ::/0                   | ::1%lo                   | ::1%lo             | no
 203.0.113.0/24         | ::ffff:203.0.113.7       | 203.0.113.7        | yes
 203.0.113.0/24         | ::FFFF:203.0.113.7       | 203.0.113.7        | yes
 203.0.113.0/24         | ::ffff:cb00:7107         | 203.0.113.7        | yes
 203.0.113.0/24         | 0:0:0:0:0:ffff:cb00:7107 | 203.0.113.7        | yes
 203.0.113.0/24         | ::203.0.113.7            | ::cb00:7107        | no
 203.0.113.0/24         | ::ffff:0:203.0.113.7     | ::ffff:0:cb00:7107 | no
 203.0.113.0/24         | 64:ff9b::203.0.113.7     | 64:ff9b::cb00:7107 | no
 203.0.113.0/24         | 2002:cb00:7107::         | 2002:cb00:7107::   | no
 ::ffff:203.0.113.0/120 | 203.0.113.7              | 203.0.113.7        | yes
 ::ffff:203.0.113.0/120 | ::ffff:203.0.113.7       | 203.0.113.7        | yes
 ::ffff:cb00:7100/120   | 203.0.114.7              | 203.0.114.7        | no
 ::ffff:0:0/96          | 8.8.8.8                  | 8.8.8.8            | yes
 ::ffff:0:0/96          | 2001:db8::1              | 2001:db8::1        | no
`

/** The same behind proxies: the header counts only from a trusted peer. */
const withHeader = `
 rule        | trusted          | peer            | X-Forwarded-For            | caller    | in
 ────────────┼──────────────────┼─────────────────┼────────────────────────────┼───────────┼────
 9.0.0.0/8   |                  | 7.7.7.7         | 9.1.2.3                    | 7.7.7.7   | no
 9.0.0.0/8   |                  | 9.1.2.3         | 7.7.7.7                    | 9.1.2.3   | yes
 9.0.0.0/8   |                  | 127.0.0.1       | 9.1.2.3                    | 127.0.0.1 | no
 9.0.0.0/8   |                  | ::1             | 9.1.2.3, ::1               | ::1       | no
 9.0.0.0/8   | 10.0.0.0/8       | 7.7.7.7         | 9.1.2.3                    | 7.7.7.7   | no
 9.0.0.0/8   | 10.0.0.0/8       | 11.0.0.1        | 9.1.2.3, 10.0.0.1          | 11.0.0.1  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3                    | 9.1.2.3   | yes
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3, 7.7.7.7           | 7.7.7.7   | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 7.7.7.7, 9.1.2.3           | 9.1.2.3   | yes
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 7.7.7.7,9.1.2.3,10.0.0.9   | 9.1.2.3   | yes
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3, 8.8.8.8, 10.0.0.9 | 8.8.8.8   | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 10.0.0.3, 10.0.0.2         | 10.0.0.3  | no
 10.0.0.0/8  | 10.0.0.0/8       | 10.0.0.1        | 10.0.0.3, 10.0.0.2         | 10.0.0.3  | yes
 10.0.0.1/32 | 10.0.0.0/8       | 10.0.0.1        | -                          | 10.0.0.1  | yes
 10.0.0.1/32 | 10.0.0.0/8       | 10.0.0.1        |                            | 10.0.0.1  | yes
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3, unknown           | 10.0.0.1  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3, unknown, 10.0.0.2 | 10.0.0.2  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3,                   | 10.0.0.1  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3, , 10.0.0.2        | 10.0.0.2  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | ,9.1.2.3                   | 9.1.2.3   | yes
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3:4711               | 10.0.0.1  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | [fd00::1]:443              | 10.0.0.1  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | "9.1.2.3"                  | 10.0.0.1  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.03                   | 10.0.0.1  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.0.0.0/8                  | 10.0.0.1  | no
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | ::ffff:9.1.2.3             | 9.1.2.3   | yes
 9.0.0.0/8   | 10.0.0.0/8       | 10.0.0.1        | 9.1.2.3, ::ffff:10.0.0.2   | 9.1.2.3   | yes
 9.0.0.0/8   | 10.0.0.0/8       | ::ffff:10.0.0.1 | 9.1.2.3                    | 9.1.2.3   | yes
 9.0.0.0/8   | ::ffff:a00:0/104 | 10.0.0.1        | 9.1.2.3                    | 9.1.2.3   | yes
 9.0.0.0/8   | 127.0.0.1        | 127.0.0.1       | 9.1.2.3                    | 9.1.2.3   | yes
 9.0.0.0/8   | 127.0.0.1        | 127.0.0.2       | 9.1.2.3                    | 127.0.0.2 | no
 9.0.0.0/8   | 127.0.0.1 ::1    | ::1             | 9.1.2.3                    | 9.1.2.3   | yes
 9.0.0.0/8   | ::1 10.0.0.0/8   | ::1             | 8.8.8.8, 9.1.2.3, 10.1.2.3 | 9.1.2.3   | yes
 fd00::/16   | 10.0.0.0/8       | 10.0.0.1        | fd00::7                    | fd00::7   | yes
 fd00::/16   | fd00:1::/32      | fd00:1::a       | 8.8.8.8, fd00:2::7         | fd00:2::7 | yes
 fe80::/10   | 10.0.0.0/8       | 10.0.0.1        | fe80::1%eth0               | 10.0.0.1  | no
 9.0.0.0/8   | 0.0.0.0/0        | 7.7.7.7         | 9.1.2.3, 8.8.8.8           | 9.1.2.3   | yes
 0.0.0.0/0   |                  |                 | 9.1.2.3                    |           | no
 0.0.0.0/0   | 0.0.0.0/0        | /run/sock       | 9.1.2.3                    | /run/sock | no
`

function admission(rule: string, trusted: string, peer: string, header: string) {
  const proxies = trusted.split(' ').filter(Boolean).map(cidr)
  const caller = callerAddress(peer, header === '-' ? undefined : header, proxies)
  const address = parseAddress(caller)
  const isIn = address !== undefined && cidrContains(cidr(rule), address)
  return { caller, in: isIn ? 'yes' : 'no' }
}

test('3 the peer is the caller, mapped IPv6 counts as IPv4, and rules match to the bit', () => {
  for (const [rule = '', peer = '', caller, isIn] of rows(withoutHeader)) {
    assert.deepEqual(admission(rule, '', peer, '-'), { caller, in: isIn }, `${rule} ${peer}`)
    const forged = admission(rule, '', peer, '8.8.8.8, 10.0.0.1')
    assert.deepEqual(forged, { caller, in: isIn }, 'a header from an untrusted peer')
  }
})

test('3 behind trusted proxies the right-most untrusted entry is the caller', () => {
  const table = rows(withHeader)
  assert.ok(table.length + rows(withoutHeader).length >= 80)
  for (const [rule = '', trusted = '', peer = '', header = '', caller, isIn] of table) {
    const actual = admission(rule, trusted, peer, header)
    assert.deepEqual(actual, { caller, in: isIn }, `${rule} ${trusted} ${peer} ${header}`)
  }
})

const notAddresses = String.raw`
  1 1.2 1.2.3 1.2.3.4.5 .1.2.3 1.2.3. 1..2.3 256.1.1.1 1.1.1.256 1.1.1.1000 01.2.3.4 1.2.3.04
  00.0.0.0 0x7f.0.0.1 0177.0.0.1 127.1 2130706433 0x7f000001 +1.2.3.4 -1.2.3.4 1e0.2.3.4 1.2.3.4:80
  1.2.3.4/8 1,2,3,4 ①.2.3.4 １.2.3.4 ١.2.3.4 : ::: :::1 1::: 1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9
  1:2:3:4:5:6:7: :1:2:3:4:5:6:7 :1 1: 1:2:3:4:5:6:7:8:: ::1:2:3:4:5:6:7:8 1::2:3:4:5:6:7:8 12345::
  ::12345 ::g ::-1 ::+1 ::0x1 [::1] ::1%lo fe80::1%25eth0 ::% ::1/64 ::1.2.3 ::1.2.3.256 ::01.2.3.4
  1.2.3.4:: ::1.2.3.4:5 1:2:3:4:5:6:7:1.2.3.4 1:2:3:4:5:1.2.3.4 1.2.3.4::1 ::.1 ::1. ::ffff:1.2
  ::ffff:01.2.3.4 localhost example.org a.b.c.d`
  .trim()
  .split(/\s+/)

test('3 a text outside the strict notation is no address, zone ids included', () => {
  const withBlanks = [
    '',
    ' ',
    ' 1.2.3.4',
    '1.2.3.4 ',
    '1.2.3.4\n',
    '::1 ',
    '1 .2.3.4',
    ': :1',
    '\0::1',
  ]
  for (const text of [
    ...notAddresses,
    ...withBlanks,
    `::${'0'.repeat(60)}1`,
    '1.'.repeat(50_000),
  ]) {
    assert.equal(parseAddress(text), undefined, text.slice(0, 60))
  }
})

// text                                            canonical
const addresses: [string, string][] = [
  ['0.0.0.0', '0.0.0.0'],
  ['::', '::'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
  ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ['::1.2.3.4', '::102:304'],
  ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::ffff:0:0', '0.0.0.0'],
  ['0000:0000:0000:0000:0000:FFFF:255.255.255.255', '255.255.255.255'],
  ['::fffe:1.2.3.4', '::fffe:102:304'],
]

test('3 addresses have one canonical text: dotted decimal or RFC 5952', () => {
  for (const [text, canonical] of addresses) {
    const address = parseAddress(text)
    assert.ok(address, text)
    assert.equal(formatAddress(address), canonical)
  }
})

// rule                   the message
const refusedRules: [string, RegExp][] = [
  ['10.0.0.1/8', /host bits set. Send 10\.0\.0\.0\/8 for the range or 10\.0\.0\.1\/32/],
  ['10.0.0.0/7.5', /from 0 to 32/],
  ['10.0.0.0/08', /without leading zeros/],
  ['10.0.0.0/33', /from 0 to 32/],
  ['10.0.0.0/', /from 0 to 32/],
  ['10.0.0.0/-1', /from 0 to 32/],
  ['10.0.0.0/8 ', /from 0 to 32/],
  ['10.0.0.0/8/8', /from 0 to 32/],
  ['10.0.0.0/255.0.0.0', /from 0 to 32/],
  ['::1/0', /Send ::\/0/],
  ['2001:db8::1/64', /Send 2001:db8::\/64 for the range or 2001:db8::1\/128/],
  ['2001:db8::/129', /from 0 to 128/],
  ['2001:db8::/064', /without leading zeros/],
  ['::ffff:10.0.0.1/104', /Send 10\.0\.0\.0\/8 for the range or 10\.0\.0\.1\/32/],
  ['::ffff:10.0.0.0/8', /at least \/96/],
  ['::ffff:0:0/95', /at least \/96/],
  ['fe80::%eth0/64', /IP address/],
  ['10.0.0/8', /IP address/],
  ['/8', /IP address/],
  ['', /IP address/],
  ['*', /IP address/],
  ['x'.repeat(10_000), /…" does not start/],
]

test('11 host bits, leading zeros and other malformed ranges are refused with a remedy', () => {
  for (const [text, message] of refusedRules) {
    const result = parseCidr(text)
    assert.ok(!result.ok, text)
    assert.match(result.message, message)
    assert.ok(result.message.length < 250)
  }
})

test('3 ranges are stored in one canonical form', () => {
  const canonical = [
    ['10.0.0.1', '10.0.0.1/32'],
    ['2001:DB8:0:0::/32', '2001:db8::/32'],
    ['::1', '::1/128'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:10.0.0.1', '10.0.0.1/32'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
  ] as const
  for (const [text, stored] of canonical) assert.equal(formatCidr(cidr(text)), stored)
})

test('3 node:net agrees on what an address is', () => {
  const piece = fc.constantFrom(...'0 1 2 7 9 a f : :: . ffff 255 1.2.3.4 g'.split(' '))
  const mixed = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), mixed), (text) => {
      assert.equal(parseAddress(text) !== undefined, isIP(text) !== 0, text)
    }),
    { numRuns: 20_000 },
  )
})

test('3 a range holds exactly the addresses that share its leading bits', () => {
  const bytes = fc.constantFrom(4, 16).chain((length) => {
    const address = fc.uint8Array({ minLength: length, maxLength: length })
    return fc.tuple(address, address, fc.nat(length * 8))
  })
  const bits = (address: Uint8Array) =>
    Array.from(address, (byte) => byte.toString(2).padStart(8, '0')).join('')
  fc.assert(
    fc.property(bytes, ([base, other, prefixBits]) => {
      const zeroed = bits(base)
        .slice(0, prefixBits)
        .padEnd(base.length * 8, '0')
      const first = base.map((_, index) =>
        Number.parseInt(zeroed.slice(index * 8, index * 8 + 8), 2),
      )
      const range = { base: first, prefixBits }
      assert.ok(cidrContains(range, base))
      const near = base.map((byte, index) =>
        index * 8 < prefixBits - 8 ? byte : (other[index] ?? 0),
      )
      for (const address of [other, near]) {
        const isInside = bits(address).startsWith(zeroed.slice(0, prefixBits))
        assert.equal(cidrContains(range, address), isInside)
      }
      const isMapped = zeroed.startsWith('0'.repeat(80) + '1'.repeat(16))
      if (!isMapped) assert.deepEqual(cidr(formatCidr(range)), range)
    }),
    { numRuns: 2_000 },
  )
})
