/**
 * Merkle proofs, trees and canonical JSON from published vectors, checked against the service and
 * both verifiers. Each file names its source. Needs python3.
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { canonicalIntegerJson } from '../../src/core/canonical-json.ts'
import {
  type HashReader,
  tilesAfterAppend,
  consistencyNodes,
  edgeTiles,
  proofHashes,
  inclusionNodes,
  tileName,
  nodeHashIn,
  rootHash,
  tileOf,
  tileTree,
} from '../../src/core/provenance/merkle-tree.ts'
import { canonical, isConsistent, leafHash, rootFromPath } from '../../verifier/verify-bundle.mjs'
import { naivePath, naiveRoot } from '../support/provenance/naive-tree.ts'
import { deterministicBytes } from '../support/provenance/synthetic-log.ts'
import {
  evaluateInPython,
  externalVectors,
  externalVectorsDir,
} from '../support/provenance/verifiers.ts'

test('every file of external vectors names its source', () => {
  const files = readdirSync(externalVectorsDir, { recursive: true, withFileTypes: true })
  for (const file of files.filter((entry) => entry.isFile())) {
    const text = readFileSync(join(file.parentPath, file.name), 'utf8')
    const source = file.name.endsWith('.json')
      ? JSON.parse(text).source
      : /<!--([^]*?)-->/.exec(text)?.[1]
    assert.match(source ?? '', /\w+\.\w+/, file.name)
  }
})

const bytes = (text: string): Buffer => Buffer.from(text, 'base64')

interface Inclusion {
  file: string
  leafIdx: number
  treeSize: number
  root: string
  leafHash: string
  proof: string[] | null
  wantErr: boolean
}

test('both verifiers agree with 98 inclusion proofs of transparency-dev/merkle', () => {
  const cases: Inclusion[] = externalVectors('merkle-proofs.json').inclusion
  assert.equal(cases.length, 98)
  const theirs = evaluateInPython(
    `0 <= case["leafIdx"] < case["treeSize"] < 2**53 and all(len(one) == 44 for one in [case["leafHash"], case["root"], *(case["proof"] or [])]) and root_of(base64.b64decode(case["leafHash"]), case["leafIdx"], case["treeSize"], [base64.b64decode(one) for one in case["proof"] or []]) == base64.b64decode(case["root"])`,
    cases,
  )
  for (const [
    i,
    { file, leafIdx, treeSize, root: expectedRoot, leafHash: leaf, proof, wantErr },
  ] of cases.entries()) {
    // A bundle can express only whole hashes and safe indexes.
    const isExpressible =
      [leafIdx, treeSize].every(Number.isSafeInteger) &&
      [leaf, expectedRoot, ...(proof ?? [])].every((node) => bytes(node).length === 32)
    const root = rootFromPath(bytes(leaf), leafIdx, treeSize, (proof ?? []).map(bytes))
    assert.equal(isExpressible && root?.equals(bytes(expectedRoot)) === true, !wantErr, file)
    assert.equal(theirs[i], !wantErr, `${file} in Python`)
  }
})

test('the verifier agrees with 98 consistency proofs of transparency-dev/merkle', () => {
  const cases = externalVectors('merkle-proofs.json').consistency
  assert.equal(cases.length, 98)
  const theirs = evaluateInPython(
    'is_consistent(case["size1"], case["size2"], base64.b64decode(case["root1"] or ""), base64.b64decode(case["root2"] or ""), [base64.b64decode(node) for node in case["proof"] or []])',
    cases,
  )
  for (const [i, one] of cases.entries()) {
    const { file, size1, size2, root1, root2, proof, wantErr } = one
    const accepted = isConsistent(
      size1,
      size2,
      bytes(root1),
      bytes(root2),
      (proof ?? []).map(bytes),
    )
    // Every log is consistent with the empty log, so a proof from size 0 is accepted.
    if (size1 > 0) assert.equal(accepted, !wantErr, file)
    assert.equal(theirs[i], accepted, `${file} in Python`)
  }
})

test('every root of the reference tree of Certificate Transparency matches', () => {
  const { leaves, roots } = externalVectors('rfc6962-tree.json')
  const hashes = leaves.map((leaf: string) =>
    leafHash(Buffer.from(leaf, 'hex') as unknown as string),
  )
  for (const [size, expectedRoot] of roots.entries()) {
    assert.equal(rootHash(size, treeOf(hashes)).toString('hex'), expectedRoot)
    assert.equal(naiveRoot(hashes.slice(0, size)).toString('hex'), expectedRoot)
  }
})

/** Builds the tiles of these leaves, appended in parts of different sizes. */
const treeOf = (leaves: readonly Buffer[], parts = [1, 2, 5, 300, 1_000]): HashReader => {
  const tiles = new Map<string, Buffer>()
  for (let size = 0, part = 0; size < leaves.length; part += 1) {
    const added = leaves.slice(size, size + parts[part % parts.length]!)
    const edge = edgeTiles(size).map((place) => ({ ...place, data: tiles.get(tileName(place))! }))
    for (const tile of tilesAfterAppend(size, added, edge)) tiles.set(tileName(tile), tile.data)
    size += added.length
  }
  const trees = new Map([...tiles].map(([name, data]) => [name, tileTree(data)]))
  return (node) => nodeHashIn(trees.get(tileName(tileOf(node)))!, node)!
}

const isLong = process.env['LONG'] === '1'

test('tiled trees have the roots and proofs of the recursive definition', () => {
  const leaves = Array.from({ length: isLong ? 100_000 : 3_000 }, (_, i) =>
    deterministicBytes(`leaf ${i}`, 32),
  )
  const hashAt = treeOf(leaves)
  const some = fc.integer({ min: 1, max: leaves.length })
  fc.assert(
    fc.property(some, some, some, (a, b, c) => {
      const [from, size] = [Math.min(a, b), Math.max(a, b)]
      const index = c % size
      const newer = rootHash(size, hashAt)
      assert(newer.equals(naiveRoot(leaves.slice(0, size))))
      const path = proofHashes(inclusionNodes(index, size), hashAt)
      assert.deepEqual(path, naivePath(index, leaves.slice(0, size)))
      assert(rootFromPath(leaves[index]!, index, size, path)?.equals(newer))
      const proof = proofHashes(consistencyNodes(from, size), hashAt)
      const older = rootHash(from, hashAt)
      assert(isConsistent(from, size, older, newer, proof))
      if (from < size) assert(!isConsistent(from, size, newer, newer, proof))
    }),
    { numRuns: isLong ? 500 : 60 },
  )
})

test('the RFC 8785 vectors without floats match, and those with floats are refused', () => {
  const { tests } = externalVectors('jcs.json')
  // JSON reads 56.0 as an integer, but only the spelling 56 is canonical in a bundle.
  tests.structures.input = tests.structures.input.replace('56.0', '56')
  const theirs = evaluateInPython(
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
    for (const write of [canonical, canonicalIntegerJson]) assert.equal(write(value), output, name)
    assert.equal(theirs[i], output, `${name} in Python`)
  }
})

test('the three writers of canonical JSON agree on random values', () => {
  const values = fc.sample(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), 500)
  const texts = values.map((value) => JSON.stringify(value) as string)
  const ours = texts.map((text) => textOrRefusal(() => canonical(JSON.parse(text))))
  const service = texts.map((text) => textOrRefusal(() => canonicalIntegerJson(JSON.parse(text))))
  const theirs = evaluateInPython(
    'canonical(json.loads(case, parse_int=integer, parse_float=NotAnInteger))',
    texts,
  )
  ours.forEach((one, i) => {
    assert.equal(one, service[i], texts[i]!)
    // Python reads -0 as the integer 0; parse_canonical distinguishes them by the text.
    if (!/-0\b(?!\.)/.test(texts[i]!)) assert.equal(one, theirs[i], texts[i]!)
  })
  assert(ours.some((one) => one !== 'CANONICAL'))
})

const textOrRefusal = (write: () => string): string => {
  try {
    return write()
  } catch {
    return 'CANONICAL'
  }
}
