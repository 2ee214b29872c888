/**
 * The documents whose rows have been proven lately (database/proven-rows.ts). Lists load every row,
 * with whether it is the newest. A look-up by id loads only versions that were not proven, since
 * PostgreSQL never changes a row in place (docs/decisions/0171).
 */
import { type ColumnType, type ColumnValue, columnArray } from '../../database/binary-arrays.ts'
import { provenMemory } from '../../database/proven-rows.ts'
import { type RowSeals, separator } from '../../database/row-seals.ts'
import { type SqlQuery, raw, sql } from '../../database/sql.ts'
import type { LoadedDocument, PackedDocument } from './loaded-document.ts'

interface Proven {
  row: PackedDocument
  document: LoadedDocument
}

/** At most 32 MB of text, some 10 of usual invoices. */
const provenMemoryOf = provenMemory<Proven>()
const textMax = 4_096

/** Reads each row that is not, byte for byte, one that was proven lately. */
export const readUnlessProven = (
  seals: RowSeals,
  read: (row: PackedDocument) => LoadedDocument,
): ((row: PackedDocument) => LoadedDocument) => {
  const memory = provenMemoryOf(seals)
  return (row) => {
    const { packed } = row
    if (isLong(row)) return read(row)
    const seal = packed.slice(2, packed.indexOf(separator, 2))
    const known = memory.get(seal)
    if (known !== undefined && isSame(known.row, row)) return known.document
    const document = Object.freeze(read(row))
    memory.set(seal, { row, document })
    return document
  }
}

const isLong = ({ packed, content, connection }: PackedDocument): boolean =>
  packed.length + content.length + (connection?.length ?? 0) > textMax

/** A draft also depends on its connection. */
const isSame = (one: PackedDocument, other: PackedDocument): boolean =>
  one.packed === other.packed &&
  one.content === other.content &&
  one.connection === other.connection

/** A version of a row: the transaction that wrote it, and its seal. */
interface RowVersion {
  xmin: number
  seal: Buffer
}

/** A document whose rows have been proven, as the newest there were. */
interface KnownDocument {
  version: RowVersion
  /** Only for drafts. */
  connection: RowVersion | null
  document: LoadedDocument
}

/** By the documents' ids. */
const knownDocumentsOf = provenMemory<KnownDocument>()

/** `xmin` and all of the document is null if it is known in the version that there is. */
export type PackedVersion = PackedDocument & { xmin: string | null; connection_xmin: string | null }

export interface KnownDocuments {
  /** SQL: what is known of each id, as rows `u` beside the id and its ordinal, from 1. */
  idsWithKnown: SqlQuery
  /** By the ordinal of an id; throws unless the id is known. */
  known(ordinal: number): LoadedDocument
  add(row: PackedVersion, document: LoadedDocument): void
}

export const knownDocuments = (seals: RowSeals, ids: readonly string[]): KnownDocuments => {
  const memory = knownDocumentsOf(seals)
  const known = ids.map((id) => memory.get(id))
  const column = (type: ColumnType, of: (one: KnownDocument) => ColumnValue) =>
    columnArray(
      type,
      known.map((one) => (one === undefined ? null : of(one))),
    )
  return {
    idsWithKnown: sql`unnest(${columnArray('uuid', ids)}::uuid[],
        ${column('xid', ({ version }) => version.xmin)}::xid[],
        ${column('bytea', ({ version }) => version.seal)}::bytea[],
        ${column('xid', ({ connection }) => connection?.xmin ?? null)}::xid[],
        ${column('bytea', ({ connection }) => connection?.seal ?? null)}::bytea[])
      with ordinality u (id, written_by, seal, connection_written_by, connection_seal, ordinal)`,
    known: (ordinal) => known[ordinal - 1]!.document,
    add: (row, document) => {
      // What an open offer is also depends on the clock of its issuer.
      if (isLong(row) || document.issuerClockSeconds !== undefined) return
      const { packed, connection } = row
      memory.set(document.id, {
        document,
        version: versionOf(row.xmin!, packed.slice(2)),
        connection: connection === null ? null : versionOf(row.connection_xmin!, connection),
      })
    },
  }
}

/** SQL: the document `d`, with its connection `c` if it is a draft, is what is known of it. */
export const isKnown = raw(`(d.xmin = u.written_by and d.seal = u.seal and (d.status <> 'draft' or
  (c.xmin = u.connection_written_by and c.seal = u.connection_seal)))`)

/** `packed` begins with the seal in hex. */
const versionOf = (xmin: string, packed: string): RowVersion => ({
  xmin: Number(xmin),
  seal: Buffer.from(packed.slice(0, packed.indexOf(separator)), 'hex'),
})
