/**
 * The Merkle tree of a log (RFC 6962), from tiles: pure arithmetic over hashes that come in.
 *
 * A node (level, index) is the root of the complete subtree over leaves index·2^level up to
 * (index + 1)·2^level. Only nodes at the levels 0, 8, 16 … are stored, 256 to a tile, as C2SP
 * tlog-tiles lays them out; what lies between follows from them. Proofs are lists of places, each
 * place the nodes whose hashes make it: who asks for a proof knows what to load before hashing.
 */
import { emptyRoot, nodeHash } from '../../../verifier/verify-bundle.mjs'

export interface Node {
  level: number
  index: number
}

export interface TilePlace {
  level: number
  n: number
}

export type HashAt = (node: Node) => Buffer

export const tileHeight = 8
export const tileWidth = 256
export const hashBytes = 32

/** The largest power of two below `size`, as its exponent; size ≥ 2. */
const splitLevel = (size: number): number => {
  let level = 0
  while (2 ** (level + 1) < size) level += 1
  return level
}

/** The complete subtrees, left to right, that make up the leaves from `start` up to `end`. */
const nodesOf = (start: number, end: number): Node[] => {
  const nodes: Node[] = []
  let at = start
  while (at < end) {
    let level = 0
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level += 1
    nodes.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return nodes
}

/** The hash over adjoining subtrees, the smaller ones to the right. */
const joined = (nodes: readonly Node[], hashAt: HashAt): Buffer =>
  nodes
    .slice(0, -1)
    .reduceRight((right, node) => nodeHash(hashAt(node), right), hashAt(nodes.at(-1)!))

/** What the root of a tree of this size is made of. */
export const rootNodes = (size: number): Node[] => nodesOf(0, size)

export const rootOf = (size: number, hashAt: HashAt): Buffer =>
  size === 0 ? emptyRoot : joined(rootNodes(size), hashAt)

/** A proof before it is hashed: for each of its hashes, lowest first, the nodes that make it. */
export type ProofNodes = readonly (readonly Node[])[]

/** RFC 6962 2.1.1: the audit path of a leaf. */
export const inclusionNodes = (index: number, size: number): ProofNodes => {
  const path: Node[][] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + 2 ** splitLevel(end - start)
    if (index < middle) {
      path.push(nodesOf(middle, end))
      end = middle
    } else {
      path.push(nodesOf(start, middle))
      start = middle
    }
  }
  return path.toReversed()
}

/** RFC 6962 2.1.2: that the tree of `size` leaves begins with that of `from` leaves. */
export const consistencyNodes = (from: number, size: number): ProofNodes => {
  if (from === 0 || from === size) return []
  const proof: Node[][] = []
  let [start, end] = [0, size]
  // Whether the subtree that is left is the whole older tree, whose root the reader has.
  let isWhole = true
  while (end !== from) {
    const middle = start + 2 ** splitLevel(end - start)
    if (from <= middle) {
      proof.push(nodesOf(middle, end))
      end = middle
    } else {
      proof.push(nodesOf(start, middle))
      start = middle
      isWhole = false
    }
  }
  if (!isWhole) proof.push(nodesOf(start, end))
  return proof.toReversed()
}

export const hashed = (proof: ProofNodes, hashAt: HashAt): Buffer[] =>
  proof.map((nodes) => joined(nodes, hashAt))

/** The tile in which a node, or what it is made of, is stored. */
export const tileOf = ({ level, index }: Node): TilePlace => {
  const tileLevel = Math.floor(level / tileHeight)
  const inTile = level % tileHeight
  return { level: tileLevel, n: Math.floor(index / 2 ** (tileHeight - inTile)) }
}

export const tilesOf = (nodes: readonly Node[]): TilePlace[] => {
  const places = nodes.map(tileOf)
  return [...new Map(places.map((place) => [nameOf(place), place])).values()]
}

export const nameOf = ({ level, n }: TilePlace): string => `${level}/${n}`

/** All hashes of a tile: level by level, each made from the one below, as far as it is complete. */
export type TileTree = readonly (readonly Buffer[])[]

export const tileTree = (data: Buffer): TileTree => {
  let row = Array.from({ length: data.length / hashBytes }, (_, i) =>
    data.subarray(i * hashBytes, (i + 1) * hashBytes),
  )
  const rows = [row]
  while (row.length > 1) {
    const below = row
    row = Array.from({ length: Math.floor(below.length / 2) }, (_, i) =>
      nodeHash(below[2 * i]!, below[2 * i + 1]!),
    )
    rows.push(row)
  }
  return rows
}

/** The hash of a node in the tile that holds it; undefined when the tile does not reach so far. */
export const nodeIn = (tile: TileTree, { level, index }: Node): Buffer | undefined => {
  const inTile = level % tileHeight
  return tile[inTile]?.[index % 2 ** (tileHeight - inTile)]
}

export interface Tile extends TilePlace {
  data: Buffer
}

/** The places on the right edge of a tree: one unfinished tile for each level that it has. */
export const edgeOf = (size: number): TilePlace[] => {
  const places: TilePlace[] = []
  for (let level = 0, count = size; count > 0; level += 1, count = Math.floor(count / tileWidth)) {
    if (count % tileWidth > 0) places.push({ level, n: Math.floor(count / tileWidth) })
  }
  return places
}

/**
 * The tiles that change when leaves are appended: `edge` are the tiles of edgeOf(size). A tile that
 * fills up gives its root to the level above.
 */
export const appended = (
  size: number,
  leaves: readonly Buffer[],
  edge: readonly Tile[],
): Tile[] => {
  const changed: Tile[] = []
  let [start, row] = [size, leaves]
  for (let level = 0; row.length > 0; level += 1) {
    const first = Math.floor(start / tileWidth)
    const kept = start % tileWidth
    const old = edge.find((tile) => tile.level === level && tile.n === first)
    if (kept > 0 && old?.data.length !== kept * hashBytes) {
      throw new Error(`the tile ${level}/${first} does not end where the tree ends`)
    }
    const hashes = Buffer.concat(kept > 0 ? [old!.data, ...row] : [...row])
    const above: Buffer[] = []
    for (let from = 0; from < hashes.length; from += tileWidth * hashBytes) {
      const data = hashes.subarray(from, from + tileWidth * hashBytes)
      changed.push({ level, n: first + from / (tileWidth * hashBytes), data })
      if (data.length === tileWidth * hashBytes) above.push(tileTree(data)[tileHeight]![0]!)
    }
    ;[start, row] = [first, above]
  }
  return changed
}
