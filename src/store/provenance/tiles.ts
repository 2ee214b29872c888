/**
 * The tiles of the logs. Trees are cached by the digest of the tile's data, so a tile that was
 * tampered with in the database never matches the tree of the original.
 */
import { hash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import * as merkle from '../../core/provenance/merkle-tree.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { unnest } from '../../database/table-writes.ts'

/** Caches the trees of tiles, up to a number of bytes; the least recently used ones go first. */
export const openTileTreeCache = (): ((data: Buffer) => merkle.TileTree) => {
  const trees = new Map<string, { tree: merkle.TileTree; bytes: number }>()
  let bytes = 0
  return (data) => {
    const digest = hash('sha256', data)
    const cached = trees.get(digest) ?? {
      tree: merkle.tileTree(data),
      bytes: merkle.tileTreeBytes(data),
    }
    if (trees.delete(digest)) bytes -= cached.bytes
    trees.set(digest, cached)
    bytes += cached.bytes
    for (const [oldest, { bytes: size }] of trees) {
      if (bytes <= limits.cachedTileTreesMaxBytes) break
      trees.delete(oldest)
      bytes -= size
    }
    return cached.tree
  }
}

const tileKey = { level: 'integer', n: 'bigint' } as const

export const tilesAt = async (
  db: Queryable,
  log: string,
  ids: readonly merkle.TileId[],
): Promise<merkle.Tile[]> => {
  if (ids.length === 0) return []
  const rows = await db.rows<{ level: number; n: bigint; data: Buffer }>(sql`
    select t.level, t.n, t.data from ${unnest(ids, tileKey)}
    join log_tile t on t.log_id = ${log} and t.level = u.level and t.n = u.n`)
  return rows.map((row) => ({ ...row, n: Number(row.n) }))
}

/** A proof needs a tile that is missing or does not contain all nodes that the log has. */
export class MissingNode extends Error {}

/** Reads the tiles that hold these nodes in one statement; returns a reader of the hashes. */
export const nodeHashes = async (
  db: Queryable,
  log: string,
  nodes: readonly merkle.TreeNode[],
  tree: (data: Buffer) => merkle.TileTree,
): Promise<merkle.HashReader> => {
  const tiles = await tilesAt(db, log, merkle.tilesOf(nodes))
  const byName = new Map(tiles.map((tile) => [merkle.tileName(tile), tree(tile.data)]))
  return (node) => {
    const name = merkle.tileName(merkle.tileOf(node))
    const tile = byName.get(name)
    const nodeHash = tile === undefined ? undefined : merkle.nodeHashIn(tile, node)
    if (nodeHash === undefined) throw new MissingNode(`tile ${name} of ${log} lacks a node`)
    return nodeHash
  }
}

export const upsertTiles = (
  db: Queryable,
  log: string,
  tiles: readonly merkle.Tile[],
): Promise<number> =>
  db.run(sql`
    insert into log_tile (log_id, level, n, data)
    select ${log}, u.level, u.n, u.data
    from ${unnest(tiles, { ...tileKey, data: 'bytea' })}
    on conflict (log_id, level, n) do update set data = excluded.data`)
