/**
 * Published vectors for Ed25519 (Wycheproof and C2SP), weak keys, signed notes and checkpoints,
 * checked with both verifiers. Each file names its source. Needs python3.
 */
import assert from 'node:assert/strict'
import { createPrivateKey, hash } from 'node:crypto'
import { test } from 'node:test'
import { signNote, vkeyOf } from '../../src/core/provenance/signed-notes.ts'
import {
  checkSignatures,
  parseCheckpoint,
  parseNote,
  parseVkey,
  readTrust,
} from '../../verifier/verify-bundle.mjs'
import { evaluateInPython, externalVectors } from '../support/provenance/verifiers.ts'

test('the example of the signed-note specification is parsed, verified, and signed byte for byte', () => {
  const { vkey, seed, text, note, refused_vkeys: refused } = externalVectors('signed-note.json')
  const { name: origin } = parseVkey(vkey)
  const parsed = parseNote(note)
  assert.equal(parsed.body, text)
  checkSignatures(parsed, 0, readTrust({ origin, keys: [vkey] }))
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex')
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  assert.equal(vkeyOf(origin, privateKey), vkey)
  assert.equal(signNote(text, [{ vkey, privateKey }]), note)
  for (const one of refused) assert.throws(() => parseVkey(one), { check: 'TRUST' })
  const changed = note.replace('cryptography', 'cryptographY')
  const trust = readTrust({ origin, keys: [vkey] })
  assert.throws(() => checkSignatures(parseNote(changed), 0, trust), { check: 'SIGNATURE' })
  const theirs = evaluateInPython(
    'check_signatures(parse_note(case[0]), 0, read_trust("PeterNeumann", [case[1]], {}))',
    [[note, vkey], [changed, vkey], ...refused.map((one: string) => [note, one])],
  )
  assert.deepEqual(theirs, [null, 'SIGNATURE', 'TRUST', 'TRUST'])
})

test('both verifiers agree with 151 Wycheproof cases for Ed25519', () => {
  const cases = externalVectors('ed25519.json').tests
  assert.equal(cases.length, 151)
  const theirs = evaluateInPython(
    'ed25519_verify(bytes.fromhex(case["key"]), bytes.fromhex(case["msg"]), bytes.fromhex(case["sig"]))',
    cases,
  )
  for (const [i, { key, msg, sig, result, comment }] of cases.entries()) {
    assert.equal(theirs[i], result === 'valid', comment)
    const typed = Buffer.concat([Buffer.from([1]), Buffer.from(key, 'hex')])
    assert.equal(
      nodeAccepts(typed, Buffer.from(msg, 'hex'), Buffer.from(sig, 'hex')),
      result === 'valid',
      comment,
    )
  }
})

/** The id of a key: the first four bytes of the hash of its name and value. */
const keyId = (name: string, typed: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from(name), typed])).slice(0, 8)

/** Whether the Node verifier accepts a signature over any bytes. */
const nodeAccepts = (typed: Buffer, body: Buffer, signature: Buffer): boolean => {
  const origin = 'vector'
  const id = keyId(`${origin}\n`, typed)
  const { key } = parseVkey(`${origin}+${id}+${typed.toString('base64')}`)
  const trust = { origin, keys: [{ name: origin, id, vkey: '', key, from: 0, until: Infinity }] }
  const note = { body: body as unknown as string, signatures: [{ name: origin, id, signature }] }
  try {
    checkSignatures(note, 0, trust)
    return true
  } catch {
    return false
  }
}

test('both verifiers refuse keys of small order, non-canonical keys and those without a point', () => {
  const weak = [
    '00'.repeat(32),
    `01${'00'.repeat(31)}`,
    `ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f`,
    `edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f`,
    `eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    `02${'00'.repeat(31)}`,
    'c54e225f996883d3efdd40c0a87be1eba3af4060a437b081e8d5d69d3d01129c',
  ].flatMap((hex) => {
    const flipped = Buffer.from(hex, 'hex')
    flipped[31]! ^= 0x80
    return [Buffer.from(hex, 'hex'), flipped]
  })
  assert.equal(weak.length, 18)
  const vkeys = weak.map((key) => {
    const typed = Buffer.concat([Buffer.from([1]), key])
    return `weak+${keyId('weak\n', typed)}+${typed.toString('base64')}`
  })
  for (const vkey of vkeys) assert.throws(() => parseVkey(vkey), { check: 'TRUST' })
  assert.deepEqual(new Set(evaluateInPython('parse_vkey(case)', vkeys)), new Set(['TRUST']))
})

test('both verifiers agree on 914 edge cases of C2SP for Ed25519, and refuse weak keys', () => {
  const cases: Cctv[] = externalVectors('ed25519-cctv.json').tests
  assert.equal(cases.length, 914)
  const verdicts = cases.map(({ key, msg, sig }) => {
    const typed = Buffer.concat([Buffer.from([1]), Buffer.from(key, 'hex')])
    try {
      return nodeAccepts(typed, Buffer.from(msg), Buffer.from(sig, 'hex'))
    } catch {
      return 'TRUST'
    }
  })
  for (const [i, { flags }] of cases.entries()) {
    const isRefused = /low_order_R|non_canonical_R|low_order_residue|reencoded_k/.test(flags)
    const expectedCheck = /\blow_order_A/.test(flags) ? 'TRUST' : !isRefused
    assert.equal(verdicts[i], expectedCheck, `${i}: ${flags}`)
  }
  const theirs = evaluateInPython(
    '"TRUST" if is_weak_key(bytes.fromhex(case["key"])) else ed25519_verify(bytes.fromhex(case["key"]), case["msg"].encode(), bytes.fromhex(case["sig"]))',
    cases,
  )
  assert.deepEqual(theirs, verdicts)
})

interface Cctv {
  key: string
  msg: string
  sig: string
  flags: string
}

/** The check that fails for each note under its keys, in both verifiers; null if it is valid. */
const failedChecksOf = (cases: readonly { note: string; vkeys: readonly string[] }[]) => {
  const ours = cases.map(({ note, vkeys }) => {
    try {
      const keys = vkeys.flatMap((vkey) => readTrust({ origin: originOf(vkey), keys: [vkey] }).keys)
      checkSignatures(parseNote(note), 0, { origin: '', keys })
      return null
    } catch (error) {
      return (error as { check: string }).check
    }
  })
  const theirs = evaluateInPython(
    'check_signatures(parse_note(case["note"]), 0, {"keys": [key for vkey in case["vkeys"] for key in read_trust(vkey.split("+")[0], [vkey], {})["keys"]]})',
    cases,
  )
  assert.deepEqual(ours, theirs)
  return ours
}

const originOf = (vkey: string): string => vkey.split('+')[0]!

test('both verifiers agree on valid, invalid and malformed notes of C2SP and of Go’s sumdb', () => {
  const vectors = externalVectors('notes.json')
  const { signed_note: example, two_signatures: two, invalid_signature: invalid } = vectors
  const malformed: string[] = vectors.malformed
  const [peter, enoch] = two.vkeys
  assert.deepEqual(
    failedChecksOf([
      { note: example.note, vkeys: [example.vkey] },
      ...[[peter], [enoch], [peter, enoch]].map((vkeys) => ({ note: two.note, vkeys })),
      { note: two.note, vkeys: [example.vkey] },
      { note: invalid.note, vkeys: [invalid.vkey] },
      ...malformed.map((note) => ({ note, vkeys: [peter] })),
    ]),
    [
      null,
      // C2SP ignores a line of an unknown key; here a note has lines of trusted keys only.
      'SIGNATURE',
      'SIGNATURE',
      null,
      'SIGNATURE',
      'SIGNATURE',
      ...malformed.map(() => 'NOTE'),
    ],
  )
})

test('both verifiers parse the C2SP checkpoint, and refuse malformed ones of transparency-dev', () => {
  const { checkpoint, malformed_checkpoints: malformed } = externalVectors('notes.json')
  const { origin, size, root } = parseCheckpoint(checkpoint)
  assert.equal(origin, 'example.com/behind-the-sofa')
  assert.equal(size, 20_852_163)
  assert.equal(root.toString('base64'), checkpoint.split('\n')[2])
  const signature = checkpoint.split('\n')[4]
  const bad: string[] = malformed.map(({ body }: { body: string }) => `${body}\n${signature}\n`)
  for (const one of bad) assert.throws(() => parseCheckpoint(one), { check: 'NOTE' }, one)
  const theirs = evaluateInPython(
    '(lambda read: [read["origin"], read["size"], base64.b64encode(read["root"]).decode()])(parse_checkpoint(case))',
    [checkpoint, ...bad],
  )
  assert.deepEqual(theirs, [[origin, size, root.toString('base64')], ...bad.map(() => 'NOTE')])
})
