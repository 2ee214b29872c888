/** Both published verifiers read a trust file alike. Needs python3. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { genuineBundle, logKey, trustPath } from '../support/provenance/mutated-bundles.ts'
import { temporaryFile, verifyWithBoth } from '../support/provenance/verifiers.ts'

test('both verifiers read a trust file alike, in any spelling', () => {
  const { origin } = JSON.parse(readFileSync(trustPath, 'utf8')) as { origin: string }
  const trusting = (window: string, more = '', keys = `["${logKey.vkey}"]`) =>
    `{"origin":"${origin}","keys":${keys},"windows":{"${logKey.vkey}":${window}}${more}}`
  const from = (size: string) => trusting(`{"from_size":${size},"until_size":null}`)
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const good = [
    ...['0', '0.0', '-0', '-0.0', '1e0', '1E-0', '1e-400', `1${'0'.repeat(5)}e-5`].map(from),
    ...['{}', 'null', '{"until_size":9007199254740991.0}'].map((window) => trusting(window)),
    trusting('{}', `,"more":[1e999,1${'0'.repeat(5_000)},0.5,"\\ud800"]`),
    trusting('{}', `,"more":${nested(31)}`),
    ` ${trusting('{}')}\n`,
    `{"logs":[${trusting('{}')}],"origin":5}`,
    // Of a key that occurs twice, the last one counts.
    trusting('{"from_size":5,"from_size":0}'),
    trusting('{}', `,"__proto__":{"windows":5},"constructor":null`),
  ]
  const bad = [
    ...['0.5', '-1', '1e400', '9007199254740992', '"0"', 'null', 'true', '[]', 'NaN'].map(from),
    ...['0', 'false', '""', '[]', '5', '{"until_size":false}'].map((window) => trusting(window)),
    ...['NaN', 'Infinity', '-Infinity', '01', '.5', nested(32)].map((more) =>
      trusting('{}', `,"more":${more}`),
    ),
    trusting('{}', '', `[["${logKey.vkey}"]]`),
    ...['[0]', '[]', '{}', 'null'].map((keys) => trusting('{}', '', keys)),
    trusting('{}', '', `["${logKey.vkey}","${logKey.vkey}"]`),
    trusting('{}', ',"windows":null'),
    ...['[]', 'null', '{}', '[null]', '[[]]'].map((logs) => `{"logs":${logs}}`),
    `{"logs":[${trusting('{}')},${trusting('{}')}]}`,
    '['.repeat(200_000),
    nested(200_000),
    '',
    'null',
    '[]',
    '0',
    `\ufeff${trusting('{}')}`,
    Buffer.from(trusting('{}', ',"more":"\xff"'), 'latin1'),
  ]
  const file = temporaryFile(genuineBundle)
  const verdicts = verifyWithBoth(
    [...good, ...bad].map((content) => [file, '--trust', temporaryFile(content)]),
  )
  for (const [i, one] of verdicts.entries()) {
    assert.equal(one.exitCode, i < good.length ? 0 : 1, one.output)
    if (i >= good.length) assert.equal(one.check, 'TRUST', one.output)
  }
})
