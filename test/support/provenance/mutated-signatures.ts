/** Attacks on the signatures, the disclosure and the encoding of a bundle. */
import type { SigningKey } from '../../../src/core/provenance/signed-notes.ts'
import { parseNote } from '../../../verifier/verify-bundle.mjs'
import {
  type Attack,
  type MutableBundle,
  mutated,
  attackedDocument,
  genuineBundle,
  replaceText,
  logKey,
  attackedLog,
  withMutatedNote,
  otherDocument,
  rewrittenDocument,
  rewrittenLog,
} from './mutated-bundles.ts'
import { syntheticBundle, signingKeyOf, organizations, origin } from './synthetic-log.ts'
import { temporaryFile } from './verifiers.ts'

export const impostor = signingKeyOf('impostor', origin)
/** The impostor's key, which signs under the id of the trusted key. */
const impostorUnderTrustedId: SigningKey = { privateKey: impostor.privateKey, vkey: logKey.vkey }
export const sandboxOrigin = 'forge.example/log/test/1'

/** R ‖ S + L: verifiers that do not require S below the order accept it. */
const withMalleableSignature = (note: string): string => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const { body, signatures } = parseNote(note)
  const { id, signature } = signatures[0]!
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + order
  const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()
  const blob = Buffer.concat([Buffer.from(id, 'hex'), signature.subarray(0, 32), bytes])
  return `${body}\n— ${origin} ${blob.toString('base64')}\n`
}

const addSignatureLine = (line: string) => (b: MutableBundle) => (b.checkpoint += line)
export const signatureLines = (note: string): string => note.slice(note.lastIndexOf('\n\n') + 2)

export const rotated = signingKeyOf('rotated', origin)
export const retiredKeyTrust = temporaryFile(
  JSON.stringify({
    origin,
    keys: [logKey.vkey, rotated.vkey],
    windows: { [logKey.vkey]: { from_size: 0, until_size: 5 } },
  }),
)

export const signatureAttacks: Attack[] = [
  {
    title: 'everything rewritten and signed with another key',
    bundle: syntheticBundle(rewrittenDocument, rewrittenLog, { keys: [impostor] }),
    failedCheck: 'SIGNATURE',
  },
  {
    title: 'everything rewritten and signed with another key under the id of the trusted key',
    bundle: syntheticBundle(rewrittenDocument, rewrittenLog, { keys: [impostorUnderTrustedId] }),
    failedCheck: 'SIGNATURE',
  },
  {
    title: 'size edited',
    bundle: withMutatedNote('checkpoint', (lines) => (lines[1] = '999')),
    failedCheck: 'SIGNATURE',
  },
  {
    title: 'root edited',
    bundle: withMutatedNote(
      'checkpoint',
      (lines) => (lines[2] = Buffer.alloc(32).toString('base64')),
    ),
    failedCheck: 'SIGNATURE',
  },
  {
    title: 'as_of edited',
    bundle: withMutatedNote('head', (lines) => (lines[3] = '2027-01-01T00:00:00.000Z')),
    failedCheck: 'SIGNATURE',
  },
  {
    title: 'head seq edited',
    bundle: withMutatedNote('head', (lines) => (lines[1] = lines[1]!.replace(' 5 ', ' 4 '))),
    failedCheck: 'SIGNATURE',
  },
  {
    title: 'head hash edited',
    bundle: withMutatedNote('head', (lines) => (lines[1] = `${lines[1]!.slice(0, -1)}0`)),
    failedCheck: 'SIGNATURE',
  },
  {
    title: 'S + L',
    bundle: mutated((b) => (b.checkpoint = withMalleableSignature(b.checkpoint))),
    failedCheck: 'SIGNATURE',
  },
  {
    title: 'a second, wrong line of the trusted key',
    bundle: mutated(addSignatureLine(signatureLines(attackedLog.checkpoint(12)))),
    failedCheck: 'NOTE',
  },
  {
    title: 'another key is trusted',
    bundle: genuineBundle,
    failedCheck: 'SIGNATURE',
    args: ['--trust', impostor.vkey],
  },
  {
    title: 'a key used after its retirement',
    bundle: genuineBundle,
    failedCheck: 'KEY_WINDOW',
    args: ['--trust', retiredKeyTrust],
  },
  {
    title: 'a checkpoint of the sandbox log',
    bundle: syntheticBundle(attackedDocument, attackedLog, {
      origin: sandboxOrigin,
      keys: [signingKeyOf('sandbox', sandboxOrigin)],
    }),
    failedCheck: 'ORIGIN',
  },
  {
    title: 'the head of another log',
    bundle: mutated((b) => {
      b.head = JSON.parse(
        syntheticBundle(attackedDocument, attackedLog, {
          origin: sandboxOrigin,
          keys: [signingKeyOf('sandbox', sandboxOrigin)],
        }),
      ).head
    }),
    failedCheck: 'ORIGIN',
  },
  {
    title: 'a signed head of another stream',
    bundle: mutated((b) => (b.head = JSON.parse(syntheticBundle(otherDocument, attackedLog)).head)),
    failedCheck: 'HEAD',
  },
]

export const disclosureAttacks: Attack[] = [
  {
    title: 'shared opening withheld',
    bundle: mutated((b) => delete b.events[3].open.shared),
    failedCheck: 'WITHHELD',
  },
  {
    title: 'own opening withheld',
    bundle: mutated((b) => delete b.events[1].open.issuer),
    failedCheck: 'WITHHELD',
  },
  {
    title: 'role swapped',
    bundle: mutated((b) => (b.viewer.role = 'counterparty')),
    failedCheck: 'ROLE',
  },
  {
    title: 'role swapped, own openings left out',
    bundle: mutated((b) => {
      b.viewer.role = 'counterparty'
      for (const event of b.events) {
        delete event.open.issuer
        delete event.open.finance
      }
    }),
    failedCheck: 'WITHHELD',
  },
  {
    title: 'organization swapped',
    bundle: mutated((b) => (b.viewer.organization_id = organizations.counterparty)),
    failedCheck: 'ROLE',
  },
]

export const encodingAttacks: Attack[] = [
  { title: 'white space', bundle: ` ${genuineBundle}`, failedCheck: 'CANONICAL' },
  { title: 'a newline at the end', bundle: `${genuineBundle}\n`, failedCheck: 'CANONICAL' },
  { title: 'a byte order mark', bundle: `\ufeff${genuineBundle}`, failedCheck: 'JSON' },
  {
    title: 'a duplicate key',
    bundle: replaceText('"format":', '"format":"svc-proof-bundle/2","format":'),
    failedCheck: 'CANONICAL',
  },
  { title: '1.0', bundle: replaceText('"seq":1,', '"seq":1.0,'), failedCheck: 'CANONICAL' },
  { title: '1e0', bundle: replaceText('"seq":1,', '"seq":1e0,'), failedCheck: 'CANONICAL' },
  { title: '-0', bundle: replaceText('"line":1,', '"line":-0,'), failedCheck: 'CANONICAL' },
  {
    title: '2^53',
    bundle: replaceText('"seq":1,', '"seq":9007199254740992,'),
    failedCheck: 'CANONICAL',
  },
  {
    title: '5,000 digits',
    bundle: replaceText('"seq":1,', `"seq":1${'0'.repeat(5_000)},`),
    failedCheck: 'CANONICAL',
  },
  { title: 'NaN', bundle: replaceText('"seq":1,', '"seq":NaN,'), failedCheck: 'JSON' },
  { title: 'Infinity', bundle: replaceText('"seq":1,', '"seq":-Infinity,'), failedCheck: 'JSON' },
  {
    title: '\\u for a letter',
    bundle: replaceText('Consulting', '\\u0043onsulting'),
    failedCheck: 'CANONICAL',
  },
  {
    title: '\\/',
    bundle: replaceText('svc-proof-bundle/2', 'svc-proof-bundle\\/2'),
    failedCheck: 'CANONICAL',
  },
  {
    title: 'a lone surrogate',
    bundle: replaceText('Consulting', '\\ud800'),
    failedCheck: 'CANONICAL',
  },
  { title: 'U+0000', bundle: replaceText('Consulting', '\\u0000'), failedCheck: 'CANONICAL' },
  {
    title: 'bad UTF-8',
    bundle: Buffer.concat([Buffer.from(genuineBundle.slice(0, 50)), Buffer.from([0xff])]),
    failedCheck: 'JSON',
  },
  {
    title: 'an encoded surrogate',
    bundle: Buffer.from(replaceText('Consulting', '\xed\xa0\x80'), 'latin1'),
    failedCheck: 'JSON',
  },
  { title: 'truncated', bundle: genuineBundle.slice(0, -1), failedCheck: 'JSON' },
  { title: 'empty', bundle: '', failedCheck: 'JSON' },
  { title: 'nesting of 200,000', bundle: '['.repeat(200_000), failedCheck: 'CANONICAL' },
  {
    title: 'nesting of 200,000 that ends',
    bundle: `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`,
    failedCheck: 'CANONICAL',
  },
  { title: 'null', bundle: 'null', failedCheck: 'SHAPE' },
  { title: 'a list', bundle: '[]', failedCheck: 'SHAPE' },
  { title: 'an unknown field', bundle: mutated((b) => (b.extra = 1)), failedCheck: 'SHAPE' },
  {
    title: 'an unknown field of a header',
    bundle: mutated((b) => (b.events[0].header.extra = 1)),
    failedCheck: 'SHAPE',
  },
  { title: 'a missing field', bundle: mutated((b) => delete b.viewer), failedCheck: 'SHAPE' },
  { title: 'no events', bundle: mutated((b) => (b.events = [])), failedCheck: 'SHAPE' },
  {
    title: 'upper-case hex',
    bundle: mutated((b) => (b.document.stream_salt = b.document.stream_salt.toUpperCase())),
    failedCheck: 'SHAPE',
  },
  {
    title: 'another format, and a missing field: the format is checked first',
    bundle: mutated((b) => {
      b.format = 'svc-proof-bundle/3'
      delete b.head
    }),
    failedCheck: 'FORMAT',
  },
  {
    title: 'a format that is not a string',
    bundle: mutated((b) => (b.format = 1)),
    failedCheck: 'SHAPE',
  },
  { title: 'a list in place of an object', bundle: '[]', failedCheck: 'SHAPE' },
  {
    title: 'another format',
    bundle: mutated((b) => (b.format = 'svc-proof-bundle/3')),
    failedCheck: 'FORMAT',
  },
  {
    title: 'an extension line',
    bundle: withMutatedNote('checkpoint', (lines) => lines.splice(3, 0, 'extension')),
    failedCheck: 'NOTE',
  },
  {
    title: 'loose base64',
    bundle: withMutatedNote('checkpoint', (lines) => (lines[2] = lines[2]!.replace(/=$/, ''))),
    failedCheck: 'NOTE',
  },
  {
    title: 'base64 with spare bits',
    bundle: mutated((b) => {
      const lines = b.checkpoint.split('\n')
      const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
      const at = last.indexOf(lines[2][42])
      lines[2] = `${lines[2].slice(0, 42)}${last[at + 1]}=`
      b.checkpoint = lines.join('\n')
    }),
    failedCheck: 'NOTE',
  },
  {
    title: 'a size with a leading zero',
    bundle: withMutatedNote('checkpoint', (lines) => (lines[1] = `0${lines[1]}`)),
    failedCheck: 'NOTE',
  },
  {
    title: 'a note without signatures',
    bundle: withMutatedNote('checkpoint', (lines) => lines.splice(4)),
    failedCheck: 'NOTE',
  },
]
