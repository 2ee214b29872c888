/**
 * The Merkle tree of a log (RFC 6962), stored in tiles. Pure: hashes are arguments.
 *
 * A node (level, index) is the root of the complete subtree over leaves index·2^level up to
 * (index + 1)·2^level. Only nodes at the levels 0, 8, 16 … are stored, 256 per tile, as in C2SP
 * tlog-tiles; the levels between are computed. A proof is first a list of nodes, so that the caller
 * can load their tiles before hashing.
 */
import { emptyRoot, nodeHash } from '../../../verifier/verify-bundle.mjs'

export interface TreeNode {
  level: number
  index: number
}

export interface TileId {
  level: number
  n: number
}

export type HashReader = (node: TreeNode) => Buffer

const tileHeight = 8
export const tileWidth = 256
const hashBytes = 32

/** The largest power of two below `size`, as its exponent; size ≥ 2. */
const splitLevel = (size: number): number => {
  let level = 0
  while (2 ** (level + 1) < size) level += 1
  return level
}

/** The complete subtrees, left to right, that cover the leaves from `start` up to `end`. */
const rangeNodes = (start: number, end: number): TreeNode[] => {
  const nodes: TreeNode[] = []
  let position = start
  while (position < end) {
    let level = 0
    while (position % 2 ** (level + 1) === 0 && position + 2 ** (level + 1) <= end) level += 1
    nodes.push({ level, index: position / 2 ** level })
    position += 2 ** level
  }
  return nodes
}

/** The hash over adjacent subtrees, the smaller ones to the right. */
const rangeHash = (nodes: readonly TreeNode[], hashAt: HashReader): Buffer =>
  nodes
    .slice(0, -1)
    .reduceRight((right, node) => nodeHash(hashAt(node), right), hashAt(nodes.at(-1)!))

/** The nodes from which the root of a tree of this size is computed. */
export const rootNodes = (size: number): TreeNode[] => rangeNodes(0, size)

export const rootHash = (size: number, hashAt: HashReader): Buffer =>
  size === 0 ? emptyRoot : rangeHash(rootNodes(size), hashAt)

/** A proof before hashing: the nodes of each of its hashes, lowest first. */
export type ProofNodes = readonly (readonly TreeNode[])[]

/** RFC 6962 2.1.1: the audit path of a leaf. */
export const inclusionNodes = (index: number, size: number): ProofNodes => {
  const path: TreeNode[][] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + 2 ** splitLevel(end - start)
    if (index < middle) {
      path.push(rangeNodes(middle, end))
      end = middle
    } else {
      path.push(rangeNodes(start, middle))
      start = middle
    }
  }
  return path.toReversed()
}

/** RFC 6962 2.1.2: the proof that the tree of `size` leaves extends the tree of `from` leaves. */
export const consistencyNodes = (from: number, size: number): ProofNodes => {
  if (from === 0 || from === size) return []
  const proof: TreeNode[][] = []
  let [start, end] = [0, size]
  // Whether the remaining subtree is the whole older tree, whose root the verifier already has.
  let isWhole = true
  while (end !== from) {
    const middle = start + 2 ** splitLevel(end - start)
    if (from <= middle) {
      proof.push(rangeNodes(middle, end))
      end = middle
    } else {
      proof.push(rangeNodes(start, middle))
      start = middle
      isWhole = false
    }
  }
  if (!isWhole) proof.push(rangeNodes(start, end))
  return proof.toReversed()
}

export const proofHashes = (proof: ProofNodes, hashAt: HashReader): Buffer[] =>
  proof.map((nodes) => rangeHash(nodes, hashAt))

/** The tile that stores a node, or the nodes from which it is computed. */
export const tileOf = ({ level, index }: TreeNode): TileId => {
  const tileLevel = Math.floor(level / tileHeight)
  const inTile = level % tileHeight
  return { level: tileLevel, n: Math.floor(index / 2 ** (tileHeight - inTile)) }
}

export const tilesOf = (nodes: readonly TreeNode[]): TileId[] => {
  const tiles = nodes.map(tileOf)
  return [...new Map(tiles.map((tile) => [tileName(tile), tile])).values()]
}

export const tileName = ({ level, n }: TileId): string => `${level}/${n}`

/**
 * The complete hashes of a tile, a row of them per level from the stored ones up. All rows are
 * parts of one buffer: a buffer for each hash would take many times the memory. The stored hashes
 * are copied, because a row of the database is a part of the 64 kB that arrived with it.
 */
export type TileTree = readonly Buffer[]

/** The memory that a tile's tree takes: there are fewer inner hashes than stored ones. */
export const tileTreeBytes = (data: Buffer): number => 2 * data.length

export const tileTree = (data: Buffer): TileTree => {
  const all = Buffer.allocUnsafeSlow(tileTreeBytes(data))
  const stored = all.subarray(0, data.copy(all))
  const rows = [stored]
  for (let [below, from] = [stored, stored.length]; below.length > hashBytes;) {
    const length = Math.floor(below.length / hashBytes / 2) * hashBytes
    const row = all.subarray(from, from + length)
    from += length
    for (let at = 0; at < row.length; at += hashBytes) {
      nodeHash(hashIn(below, 2 * at), hashIn(below, 2 * at + hashBytes)).copy(row, at)
    }
    rows.push(row)
    below = row
  }
  return rows
}

const hashIn = (row: Buffer, at: number): Buffer => row.subarray(at, at + hashBytes)

/** The hash of a node in its tile; undefined when the tile is too short. */
export const nodeHashIn = (tile: TileTree, { level, index }: TreeNode): Buffer | undefined => {
  const inTile = level % tileHeight
  const at = (index % 2 ** (tileHeight - inTile)) * hashBytes
  const row = tile[inTile]
  return row === undefined || at >= row.length ? undefined : hashIn(row, at)
}

export interface Tile extends TileId {
  data: Buffer
}

/** The partial tiles on the right edge of a tree, at most one per tile level. */
export const edgeTiles = (size: number): TileId[] => {
  const tiles: TileId[] = []
  for (let level = 0, count = size; count > 0; level += 1, count = Math.floor(count / tileWidth)) {
    if (count % tileWidth > 0) tiles.push({ level, n: Math.floor(count / tileWidth) })
  }
  return tiles
}

/**
 * The tiles that change when leaves are appended; `edge` has the data of `edgeTiles(size)`. When a
 * tile becomes full, its root is appended to the level above.
 */
export const tilesAfterAppend = (
  size: number,
  leaves: readonly Buffer[],
  edge: readonly Tile[],
): Tile[] => {
  const changed: Tile[] = []
  let [start, row] = [size, leaves]
  for (let level = 0; row.length > 0; level += 1) {
    const first = Math.floor(start / tileWidth)
    const filled = start % tileWidth
    const old = edge.find((tile) => tile.level === level && tile.n === first)
    if (filled > 0 && old?.data.length !== filled * hashBytes) {
      throw new Error(`the tile ${level}/${first} does not end where the tree ends`)
    }
    const hashes = Buffer.concat(filled > 0 ? [old!.data, ...row] : [...row])
    const above: Buffer[] = []
    for (let from = 0; from < hashes.length; from += tileWidth * hashBytes) {
      const data = hashes.subarray(from, from + tileWidth * hashBytes)
      changed.push({ level, n: first + from / (tileWidth * hashBytes), data })
      if (data.length === tileWidth * hashBytes) above.push(tileTree(data)[tileHeight]!)
    }
    ;[start, row] = [first, above]
  }
  return changed
}
