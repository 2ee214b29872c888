/**
 * The documents whose rows have been proven lately. A seal holds or not for the bytes of a row
 * alone, so bytes that are equal to proven ones are proven by comparing them, at a tenth of the
 * cost of the MAC (docs/decisions/0160). Every row is still loaded, with whether it is the newest.
 */
import { type RowSeals, acceptedKeys, separator } from '../../database/row-seals.ts'
import type { LoadedDocument, PackedDocument } from './documents.ts'

interface Proven {
  row: PackedDocument
  document: LoadedDocument
}

/** Of these, there are two generations: at most 32 MB of text, some 10 of usual invoices. */
const generationMax = 2_048
const textMax = 4_096

interface ProvenRows {
  /** Proof under a key ends with the key. */
  keys: string
  young: Map<string, Proven>
  old: Map<string, Proven>
}

const provenRows = new WeakMap<RowSeals, ProvenRows>()

const provenRowsOf = (seals: RowSeals): ProvenRows => {
  const keys = acceptedKeys(seals)
  let proven = provenRows.get(seals)
  if (proven?.keys !== keys) {
    provenRows.set(seals, (proven = { keys, young: new Map(), old: new Map() }))
  }
  return proven
}

/** Reads each row that is not, byte for byte, one that was proven lately. */
export const readUnlessProven = (
  seals: RowSeals,
  read: (row: PackedDocument) => LoadedDocument,
): ((row: PackedDocument) => LoadedDocument) => {
  const proven = provenRowsOf(seals)
  return (row) => {
    const { packed, content, connection } = row
    // A draft also depends on its connection.
    if (connection !== null || packed.length + content.length > textMax) return read(row)
    const seal = packed.slice(2, packed.indexOf(separator, 2))
    const recent = proven.young.get(seal)
    if (recent !== undefined && isSame(recent.row, row)) return recent.document
    const earlier = proven.old.get(seal)
    const isProven = earlier !== undefined && isSame(earlier.row, row)
    const found = isProven ? earlier : { row, document: Object.freeze(read(row)) }
    keep(proven, seal, found)
    return found.document
  }
}

const isSame = (one: PackedDocument, other: PackedDocument): boolean =>
  one.packed === other.packed && one.content === other.content

const keep = (proven: ProvenRows, seal: string, found: Proven): void => {
  if (proven.young.size === generationMax) {
    proven.old = proven.young
    proven.young = new Map()
  }
  proven.young.set(seal, found)
}
