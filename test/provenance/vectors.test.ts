/**
 * Vectors of others, each file naming its source, against what the service signs and both verifiers
 * check with: Merkle proofs and trees, signed notes, Ed25519, canonical JSON. Needs python3.
 */
import assert from 'node:assert/strict'
import { createPrivateKey, hash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { signedNote, vkeyOf } from '../../src/core/checkpoint.ts'
import { canonicalRecord } from '../../src/core/canonical.ts'
import {
  type HashAt,
  appended,
  consistencyNodes,
  edgeOf,
  hashed,
  inclusionNodes,
  nameOf,
  nodeIn,
  rootOf,
  tileOf,
  tileTree,
} from '../../src/core/merkle.ts'
import {
  canonical,
  checkSignatures,
  isConsistent,
  leafHash,
  parseNote,
  parseVkey,
  readTrust,
  rootFromPath,
} from '../../verifier/verify-bundle.mjs'
import { bytesOf, naivePath, naiveRoot } from '../support/forge.ts'
import { root } from '../support/sources.ts'
import { fileOf, python } from '../support/verifiers.ts'

const folder = join(root, 'test/vectors/external')
// oxlint-disable-next-line typescript/no-explicit-any -- files of others, of every shape
const read = (name: string): any => JSON.parse(readFileSync(join(folder, name), 'utf8'))

test('every file of vectors names its source', () => {
  for (const name of readdirSync(folder)) assert.match(read(name).source, /\w+\.\w+/, name)
})

const bytes = (text: string): Buffer => Buffer.from(text, 'base64')

/** Answers of verify_bundle.py, one for each expression over `case`. */
const pythonSays = (expression: string, cases: readonly unknown[]): unknown[] => {
  const code = `
import sys, json
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from verify_bundle import *
def answer(case):
    try:
        return ${expression}
    except Failure as failure:
        return failure.check
print(json.dumps([answer(case) for case in json.load(open(sys.argv[2]))]))`
  const { stdout } = python(['-c', code, join(root, 'verifier'), fileOf(JSON.stringify(cases))])
  return JSON.parse(stdout)
}

interface Inclusion {
  file: string
  leafIdx: number
  treeSize: number
  root: string
  leafHash: string
  proof: string[] | null
  wantErr: boolean
}

test('98 proofs of inclusion of transparency-dev/merkle, in both verifiers', () => {
  const cases: Inclusion[] = read('merkle-proofs.json').inclusion
  assert.equal(cases.length, 98)
  const theirs = pythonSays(
    `0 <= case["leafIdx"] < case["treeSize"] < 2**53 and all(len(one) == 44 for one in [case["leafHash"], case["root"], *(case["proof"] or [])]) and root_of(base64.b64decode(case["leafHash"]), case["leafIdx"], case["treeSize"], [base64.b64decode(one) for one in case["proof"] or []]) == base64.b64decode(case["root"])`,
    cases,
  )
  for (const [
    i,
    { file, leafIdx, treeSize, root: wanted, leafHash: leaf, proof, wantErr },
  ] of cases.entries()) {
    // Whole hashes and whole places: what a bundle can say at all.
    const isSayable =
      [leafIdx, treeSize].every(Number.isSafeInteger) &&
      [leaf, wanted, ...(proof ?? [])].every((node) => bytes(node).length === 32)
    const found = rootFromPath(bytes(leaf), leafIdx, treeSize, (proof ?? []).map(bytes))
    assert.equal(isSayable && found?.equals(bytes(wanted)) === true, !wantErr, file)
    assert.equal(theirs[i], !wantErr, `${file} in Python`)
  }
})

test('98 proofs of consistency of transparency-dev/merkle', () => {
  const cases = read('merkle-proofs.json').consistency
  assert.equal(cases.length, 98)
  for (const { file, size1, size2, root1, root2, proof, wantErr } of cases) {
    const found = isConsistent(size1, size2, bytes(root1), bytes(root2), (proof ?? []).map(bytes))
    // That a log began empty is said of every log, and accepted when the root is the empty one.
    if (size1 > 0) assert.equal(found, !wantErr, file)
  }
})

test('the reference tree of Certificate Transparency, root by root', () => {
  const { leaves, roots } = read('rfc6962-tree.json')
  const hashes = leaves.map((leaf: string) =>
    leafHash(Buffer.from(leaf, 'hex') as unknown as string),
  )
  for (const [size, wanted] of roots.entries()) {
    assert.equal(rootOf(size, treeOf(hashes)).toString('hex'), wanted)
    assert.equal(naiveRoot(hashes.slice(0, size)).toString('hex'), wanted)
  }
})

/** The tiles of these leaves, appended in parts of every size. */
const treeOf = (leaves: readonly Buffer[], parts = [1, 2, 5, 300, 1_000]): HashAt => {
  const tiles = new Map<string, Buffer>()
  for (let size = 0, part = 0; size < leaves.length; part += 1) {
    const added = leaves.slice(size, size + parts[part % parts.length]!)
    const edge = edgeOf(size).map((place) => ({ ...place, data: tiles.get(nameOf(place))! }))
    for (const tile of appended(size, added, edge)) tiles.set(nameOf(tile), tile.data)
    size += added.length
  }
  const trees = new Map([...tiles].map(([name, data]) => [name, tileTree(data)]))
  return (node) => nodeIn(trees.get(nameOf(tileOf(node)))!, node)!
}

const long = process.env['LONG'] === '1'

test('trees made of tiles have the roots and proofs of the definition', () => {
  const leaves = Array.from({ length: long ? 100_000 : 3_000 }, (_, i) => bytesOf(`leaf ${i}`, 32))
  const hashAt = treeOf(leaves)
  const some = fc.integer({ min: 1, max: leaves.length })
  fc.assert(
    fc.property(some, some, some, (a, b, c) => {
      const [from, size] = [Math.min(a, b), Math.max(a, b)]
      const index = c % size
      const newer = rootOf(size, hashAt)
      assert(newer.equals(naiveRoot(leaves.slice(0, size))))
      const path = hashed(inclusionNodes(index, size), hashAt)
      assert.deepEqual(path, naivePath(index, leaves.slice(0, size)))
      assert(rootFromPath(leaves[index]!, index, size, path)?.equals(newer))
      const proof = hashed(consistencyNodes(from, size), hashAt)
      const older = rootOf(from, hashAt)
      assert(isConsistent(from, size, older, newer, proof))
      if (from < size) assert(!isConsistent(from, size, newer, newer, proof))
    }),
    { numRuns: long ? 500 : 60 },
  )
})

test('the note of the signed-note specification: read, checked, and signed to the byte', () => {
  const { vkey, seed, text, note, refused_vkeys: refused } = read('signed-note.json')
  const { name } = parseVkey(vkey)
  const parsed = parseNote(note)
  assert.equal(parsed.body, text)
  checkSignatures(parsed, 0, readTrust({ origin: name, keys: [vkey] }))
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex')
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  assert.equal(vkeyOf(name, privateKey), vkey)
  assert.equal(signedNote(text, [{ vkey, privateKey }]), note)
  for (const one of refused) assert.throws(() => parseVkey(one), { check: 'TRUST' })
  const changed = note.replace('cryptography', 'cryptographY')
  const trust = readTrust({ origin: name, keys: [vkey] })
  assert.throws(() => checkSignatures(parseNote(changed), 0, trust), { check: 'SIGNATURE' })
  const theirs = pythonSays(
    'check_signatures(parse_note(case[0]), 0, read_trust("PeterNeumann", [case[1]], {}))',
    [[note, vkey], [changed, vkey], ...refused.map((one: string) => [note, one])],
  )
  assert.deepEqual(theirs, [null, 'SIGNATURE', 'TRUST', 'TRUST'])
})

test('151 cases of Wycheproof for Ed25519, in both verifiers', () => {
  const cases = read('ed25519.json').tests
  assert.equal(cases.length, 151)
  const theirs = pythonSays(
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

/** The id of a key: four bytes of the hash over its name and itself. */
const keyId = (name: string, typed: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from(name), typed])).slice(0, 8)

/** What the verifier's own path through node:crypto says of a signature over any bytes. */
const nodeAccepts = (typed: Buffer, body: Buffer, signature: Buffer): boolean => {
  const name = 'vector'
  const id = keyId(`${name}\n`, typed)
  const { key } = parseVkey(`${name}+${id}+${typed.toString('base64')}`)
  const trust = { origin: name, keys: [{ name, id, vkey: '', key, from: 0, until: Infinity }] }
  const note = { body: body as unknown as string, signatures: [{ name, id, signature }] }
  try {
    checkSignatures(note, 0, trust)
    return true
  } catch {
    return false
  }
}

test('keys of small order and keys that are no point’s one encoding are refused by both', () => {
  const weak = [
    '00'.repeat(32),
    `01${'00'.repeat(31)}`,
    `ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f`,
    `edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f`,
    `eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f`,
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ].flatMap((hex) => {
    const flipped = Buffer.from(hex, 'hex')
    flipped[31]! ^= 0x80
    return [Buffer.from(hex, 'hex'), flipped]
  })
  assert.equal(weak.length, 14)
  const vkeys = weak.map((key) => {
    const typed = Buffer.concat([Buffer.from([1]), key])
    return `weak+${keyId('weak\n', typed)}+${typed.toString('base64')}`
  })
  for (const vkey of vkeys) assert.throws(() => parseVkey(vkey), { check: 'TRUST' })
  assert.deepEqual(new Set(pythonSays('parse_vkey(case)', vkeys)), new Set(['TRUST']))
})

test('the vectors of RFC 8785 that the profile holds; those with floats are refused', () => {
  const { tests } = read('jcs.json')
  // 56.0 is an integer to JSON, and another text in a bundle: no spelling but one is canonical.
  tests.structures.input = tests.structures.input.replace('56.0', '56')
  const theirs = pythonSays(
    'canonical(json.loads(case, parse_int=integer, parse_float=NotAnInteger))',
    Object.values(tests as Record<string, { input: string }>).map(({ input }) => input),
  )
  for (const [i, [name, { input, output }]] of Object.entries<{ input: string; output: string }>(
    tests,
  ).entries()) {
    const value: unknown = JSON.parse(input)
    if (name === 'values') {
      assert.throws(() => canonical(value), { check: 'CANONICAL' })
      assert.equal(theirs[i], 'CANONICAL')
      continue
    }
    for (const write of [canonical, canonicalRecord]) assert.equal(write(value), output, name)
    assert.equal(theirs[i], output, `${name} in Python`)
  }
})

test('the three writers of canonical JSON agree on whatever they are given', () => {
  const values = fc.sample(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), 500)
  const texts = values.map((value) => JSON.stringify(value) as string)
  const ours = texts.map((text) => orRefused(() => canonical(JSON.parse(text))))
  const service = texts.map((text) => orRefused(() => canonicalRecord(JSON.parse(text))))
  const theirs = pythonSays(
    'canonical(json.loads(case, parse_int=integer, parse_float=NotAnInteger))',
    texts,
  )
  ours.forEach((one, i) => {
    assert.equal(one, service[i], texts[i]!)
    // -0 is an integer 0 to Python: parse_canonical tells them apart by the text.
    if (!/-0\b(?!\.)/.test(texts[i]!)) assert.equal(one, theirs[i], texts[i]!)
  })
  assert(ours.some((one) => one !== 'CANONICAL'))
})

const orRefused = (write: () => string): string => {
  try {
    return write()
  } catch {
    return 'CANONICAL'
  }
}
