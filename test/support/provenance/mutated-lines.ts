/**
 * Attacks on the signature lines of a note, which are exactly those of the keys in force: nobody
 * can write the same bundle in another way.
 */
import { type Attack, attackedDocument, attackedLog, logKey, mutated } from './mutated-bundles.ts'
import { retiredKeyTrust, rotated, sandboxOrigin, signatureLines } from './mutated-signatures.ts'
import { origin, signingKeyOf, syntheticBundle } from './synthetic-log.ts'
import { temporaryFile } from './verifiers.ts'

export const twoKeysTrust = temporaryFile(
  JSON.stringify({ origin, keys: [rotated.vkey, logKey.vkey] }),
)
const sandboxKey = signingKeyOf('sandbox', sandboxOrigin)
export const twoLogsTrust = temporaryFile(
  JSON.stringify({
    logs: [
      { origin: sandboxOrigin, keys: [sandboxKey.vkey] },
      { origin, keys: [logKey.vkey] },
    ],
  }),
)

const twoKeys = syntheticBundle(attackedDocument, attackedLog, { keys: [logKey, rotated] })

/** The bundle of two keys with other signature lines in one of its notes. */
const withLines = (field: 'checkpoint' | 'head', change: (lines: string[]) => string[]): string =>
  mutated((b) => {
    const lines = signatureLines(b[field]).split('\n').slice(0, -1)
    const body = b[field].slice(0, -signatureLines(b[field]).length)
    b[field] = `${body}${change(lines)
      .map((line) => `${line}\n`)
      .join('')}`
  }, twoKeys)

/** A signature line of another length, or of another name. */
const withBytes = (line: string, change: (bytes: Buffer) => Buffer): string => {
  const [dash, name, blob] = line.split(' ')
  return [dash, name, change(Buffer.from(blob!, 'base64')).toString('base64')].join(' ')
}

const changedLines: Attack[] = (['checkpoint', 'head'] as const).flatMap((field) =>
  (
    [
      ['a line is missing', ([one]) => [one!], 'SIGNATURE'],
      ['the other line is missing', ([, two]) => [two!], 'SIGNATURE'],
      ['lines in another order', (lines) => lines.toReversed(), 'NOTE'],
      ['a line twice', ([one, two]) => [one!, one!, two!], 'NOTE'],
      [
        'a line of an unknown key of the log',
        (lines) => [
          ...lines,
          withBytes(lines[0]!, (bytes) => Buffer.concat([Buffer.alloc(4, 255), bytes.subarray(4)])),
        ],
        'SIGNATURE',
      ],
      [
        'a line of a witness before those of the log',
        (lines) => [lines[0]!.replace(origin, 'witness.example'), ...lines],
        'NOTE',
      ],
      [
        'a line of a witness twice',
        (lines) => [...lines, ...Array(2).fill(lines[0]!.replace(origin, 'witness.example'))],
        'NOTE',
      ],
      [
        'a line of the log behind one of a witness',
        ([one, two]) => [one!, one!.replace(origin, 'witness.example'), two!],
        'NOTE',
      ],
      [
        'a signature of 63 bytes',
        ([one, two]) => [withBytes(one!, (bytes) => bytes.subarray(0, -1)), two!],
        'NOTE',
      ],
      [
        'a signature of 65 bytes',
        ([one, two]) => [withBytes(one!, (bytes) => Buffer.concat([bytes, Buffer.of(0)])), two!],
        'NOTE',
      ],
      ['a line break at the end', ([one, two]) => [one!, `${two!}\n`], 'NOTE'],
      ['a space at the end', ([one, two]) => [one!, `${two!} `], 'NOTE'],
    ] as [string, (lines: string[]) => string[], string][]
  ).map(([title, change, failedCheck]) => ({
    title: `${field}: ${title}`,
    bundle: withLines(field, change),
    failedCheck,
    args: ['--trust', twoKeysTrust],
  })),
)

export const lineAttacks: Attack[] = [
  {
    title: 'head: a line of a witness',
    bundle: withLines('head', (lines) => [...lines, lines[0]!.replace(origin, 'witness.example')]),
    failedCheck: 'NOTE',
    args: ['--trust', twoKeysTrust],
  },
  ...changedLines,
  {
    title: 'a line of a key that was not in force any more',
    bundle: twoKeys,
    failedCheck: 'KEY_WINDOW',
    args: ['--trust', retiredKeyTrust],
  },
  { title: 'a line of a key that the trust file lacks', bundle: twoKeys, failedCheck: 'SIGNATURE' },
]
