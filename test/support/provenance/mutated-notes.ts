/** The attacks on signatures, on what is disclosed, and on the spelling of a bundle. */
import type { SigningKey } from '../../../src/core/provenance/checkpoint.ts'
import { parseNote } from '../../../verifier/verify-bundle.mjs'
import {
  type Attack,
  type Bent,
  bent,
  document,
  genuine,
  key,
  log,
  noteWith,
  other,
  rewritten,
  rewrittenLog,
} from './mutated-bundles.ts'
import { forgedBundle, keyOf, organizations, origin } from './forged-log.ts'
import { fileOf } from './verifiers.ts'

export const impostor = keyOf('impostor', origin)
/** A key of our own that signs under the id of the trusted one. */
export const underForgedId: SigningKey = { privateKey: impostor.privateKey, vkey: key.vkey }
export const sandbox = 'forge.example/log/test/1'

/** R ‖ S + L: accepted by verifiers that do not ask S to be below the order. */
export const malleable = (note: string): string => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const { body, signatures } = parseNote(note)
  const { id, signature } = signatures[0]!
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order
  const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()
  const blob = Buffer.concat([Buffer.from(id, 'hex'), signature.subarray(0, 32), bytes])
  return `${body}\n— ${origin} ${blob.toString('base64')}\n`
}

export const second = (line: string) => (b: Bent) => (b.checkpoint += line)
export const signatureLines = (note: string): string => note.slice(note.lastIndexOf('\n\n') + 2)

export const rotated = keyOf('rotated', origin)
export const windowed = fileOf(
  JSON.stringify({
    origin,
    keys: [key.vkey, rotated.vkey],
    windows: { [key.vkey]: { from_size: 0, until_size: 5 } },
  }),
)

export const signatures: Attack[] = [
  {
    what: 'everything rewritten with an own key',
    bundle: forgedBundle(rewritten, rewrittenLog, { keys: [impostor] }),
    by: 'SIGNATURE',
  },
  {
    what: 'everything rewritten with an own key under the id of the trusted one',
    bundle: forgedBundle(rewritten, rewrittenLog, { keys: [underForgedId] }),
    by: 'SIGNATURE',
  },
  {
    what: 'size edited',
    bundle: noteWith('checkpoint', (lines) => (lines[1] = '999')),
    by: 'SIGNATURE',
  },
  {
    what: 'root edited',
    bundle: noteWith('checkpoint', (lines) => (lines[2] = Buffer.alloc(32).toString('base64'))),
    by: 'SIGNATURE',
  },
  {
    what: 'as_of edited',
    bundle: noteWith('head', (lines) => (lines[3] = '2027-01-01T00:00:00.000Z')),
    by: 'SIGNATURE',
  },
  {
    what: 'head seq edited',
    bundle: noteWith('head', (lines) => (lines[1] = lines[1]!.replace(' 5 ', ' 4 '))),
    by: 'SIGNATURE',
  },
  {
    what: 'head hash edited',
    bundle: noteWith('head', (lines) => (lines[1] = `${lines[1]!.slice(0, -1)}0`)),
    by: 'SIGNATURE',
  },
  {
    what: 'S + L',
    bundle: bent((b) => (b.checkpoint = malleable(b.checkpoint))),
    by: 'SIGNATURE',
  },
  {
    what: 'a second, wrong line of the trusted key',
    bundle: bent(second(signatureLines(log.checkpoint(12)))),
    by: 'SIGNATURE',
  },
  {
    what: 'another key is trusted',
    bundle: genuine,
    by: 'SIGNATURE',
    args: ['--trust', impostor.vkey],
  },
  {
    what: 'a key used after its retirement',
    bundle: genuine,
    by: 'KEY_WINDOW',
    args: ['--trust', windowed],
  },
  {
    what: 'a checkpoint of the sandbox log',
    bundle: forgedBundle(document, log, { name: sandbox, keys: [keyOf('sandbox', sandbox)] }),
    by: 'ORIGIN',
  },
  {
    what: 'the head of another log',
    bundle: bent((b) => {
      b.head = JSON.parse(forgedBundle(document, log, { name: sandbox })).head
    }),
    by: 'ORIGIN',
  },
  {
    what: 'a signed head of another stream',
    bundle: bent((b) => (b.head = JSON.parse(forgedBundle(other, log)).head)),
    by: 'HEAD',
  },
]

export const disclosure: Attack[] = [
  {
    what: 'shared opening withheld',
    bundle: bent((b) => delete b.events[3].open.shared),
    by: 'WITHHELD',
  },
  {
    what: 'own opening withheld',
    bundle: bent((b) => delete b.events[1].open.issuer),
    by: 'WITHHELD',
  },
  {
    what: 'role swapped',
    bundle: bent((b) => (b.viewer.role = 'counterparty')),
    by: 'ROLE',
  },
  {
    what: 'role swapped, own openings left out',
    bundle: bent((b) => {
      b.viewer.role = 'counterparty'
      for (const event of b.events) delete event.open.issuer
    }),
    by: 'WITHHELD',
  },
  {
    what: 'organization swapped',
    bundle: bent((b) => (b.viewer.organization_id = organizations.counterparty)),
    by: 'ROLE',
  },
]

export const withText = (from: string, to: string): string => genuine.replace(from, () => to)

export const texts: Attack[] = [
  { what: 'white space', bundle: ` ${genuine}`, by: 'CANONICAL' },
  { what: 'a newline at the end', bundle: `${genuine}\n`, by: 'CANONICAL' },
  { what: 'a byte order mark', bundle: `\ufeff${genuine}`, by: 'JSON' },
  {
    what: 'a duplicate key',
    bundle: withText('"format":', '"format":"svc-proof-bundle/1","format":'),
    by: 'CANONICAL',
  },
  { what: '1.0', bundle: withText('"seq":1,', '"seq":1.0,'), by: 'CANONICAL' },
  { what: '1e0', bundle: withText('"seq":1,', '"seq":1e0,'), by: 'CANONICAL' },
  { what: '-0', bundle: withText('"line":1,', '"line":-0,'), by: 'CANONICAL' },
  { what: '2^53', bundle: withText('"seq":1,', '"seq":9007199254740992,'), by: 'CANONICAL' },
  {
    what: '5,000 digits',
    bundle: withText('"seq":1,', `"seq":1${'0'.repeat(5_000)},`),
    by: 'CANONICAL',
  },
  { what: 'NaN', bundle: withText('"seq":1,', '"seq":NaN,'), by: 'JSON' },
  { what: 'Infinity', bundle: withText('"seq":1,', '"seq":-Infinity,'), by: 'JSON' },
  { what: '\\u for a letter', bundle: withText('Consulting', '\\u0043onsulting'), by: 'CANONICAL' },
  { what: '\\/', bundle: withText('svc-proof-bundle/1', 'svc-proof-bundle\\/1'), by: 'CANONICAL' },
  { what: 'a lone surrogate', bundle: withText('Consulting', '\\ud800'), by: 'CANONICAL' },
  { what: 'U+0000', bundle: withText('Consulting', '\\u0000'), by: 'CANONICAL' },
  {
    what: 'bad UTF-8',
    bundle: Buffer.concat([Buffer.from(genuine.slice(0, 50)), Buffer.from([0xff])]),
    by: 'JSON',
  },
  {
    what: 'an encoded surrogate',
    bundle: Buffer.from(withText('Consulting', '\xed\xa0\x80'), 'latin1'),
    by: 'JSON',
  },
  { what: 'truncated', bundle: genuine.slice(0, -1), by: 'JSON' },
  { what: 'empty', bundle: '', by: 'JSON' },
  { what: 'nesting of 200,000', bundle: '['.repeat(200_000), by: 'CANONICAL' },
  {
    what: 'nesting of 200,000 that ends',
    bundle: `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
    by: 'CANONICAL',
  },
  { what: 'null', bundle: 'null', by: 'SHAPE' },
  { what: 'a list', bundle: '[]', by: 'SHAPE' },
  { what: 'an unknown field', bundle: bent((b) => (b.extra = 1)), by: 'SHAPE' },
  {
    what: 'an unknown field of a header',
    bundle: bent((b) => (b.events[0].header.extra = 1)),
    by: 'SHAPE',
  },
  { what: 'a missing field', bundle: bent((b) => delete b.viewer), by: 'SHAPE' },
  { what: 'no events', bundle: bent((b) => (b.events = [])), by: 'SHAPE' },
  {
    what: 'upper-case hex',
    bundle: bent((b) => (b.document.stream_salt = b.document.stream_salt.toUpperCase())),
    by: 'SHAPE',
  },
  {
    what: 'another format, and a field missing: the format is looked at first',
    bundle: bent((b) => {
      b.format = 'svc-proof-bundle/2'
      delete b.head
    }),
    by: 'FORMAT',
  },
  { what: 'a format that is no text', bundle: bent((b) => (b.format = 1)), by: 'SHAPE' },
  { what: 'no object', bundle: '[]', by: 'SHAPE' },
  {
    what: 'another format',
    bundle: bent((b) => (b.format = 'svc-proof-bundle/2')),
    by: 'FORMAT',
  },
  {
    what: 'an extension line',
    bundle: noteWith('checkpoint', (lines) => lines.splice(3, 0, 'extension')),
    by: 'NOTE',
  },
  {
    what: 'loose base64',
    bundle: noteWith('checkpoint', (lines) => (lines[2] = lines[2]!.replace(/=$/, ''))),
    by: 'NOTE',
  },
  {
    what: 'base64 with spare bits',
    bundle: bent((b) => {
      const lines = b.checkpoint.split('\n')
      const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
      const at = last.indexOf(lines[2][42])
      lines[2] = `${lines[2].slice(0, 42)}${last[at + 1]}=`
      b.checkpoint = lines.join('\n')
    }),
    by: 'NOTE',
  },
  {
    what: 'a size with a leading zero',
    bundle: noteWith('checkpoint', (lines) => (lines[1] = `0${lines[1]}`)),
    by: 'NOTE',
  },
  {
    what: 'a note without signatures',
    bundle: noteWith('checkpoint', (lines) => lines.splice(4)),
    by: 'NOTE',
  },
]
