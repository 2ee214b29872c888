/**
 * The documents whose rows have been proven lately (database/proven-rows.ts). Every row is still
 * loaded, with whether it is the newest.
 */
import { provenMemory } from '../../database/proven-rows.ts'
import { type RowSeals, separator } from '../../database/row-seals.ts'
import type { LoadedDocument, PackedDocument } from './documents.ts'

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
    const { packed, content, connection } = row
    // A draft also depends on its connection.
    if (connection !== null || packed.length + content.length > textMax) return read(row)
    const seal = packed.slice(2, packed.indexOf(separator, 2))
    const known = memory.get(seal)
    if (known !== undefined && isSame(known.row, row)) return known.document
    const document = Object.freeze(read(row))
    memory.set(seal, { row, document })
    return document
  }
}

const isSame = (one: PackedDocument, other: PackedDocument): boolean =>
  one.packed === other.packed && one.content === other.content
