/**
 * What has been proven lately. A seal holds or not for the bytes of a row alone, so bytes that are
 * equal to proven ones are proven by comparing them, at a tenth of the cost of the MAC
 * (docs/decisions/0160). Every row is still loaded, but for documents by id (0171).
 */
import { unpackRow } from './packed-rows.ts'
import { type RowSeals, acceptedKeys, separator } from './row-seals.ts'
import type { Rows } from './rows.ts'

/** By the seals of the rows in hex, or by ids. */
export interface ProvenMemory<V> {
  get(name: string): V | undefined
  /** Keeps the value once its name is met again. */
  set(name: string, value: V): void
}

const generationMax = 2_048

/**
 * Two generations of what is read more than once: what nobody asked for while so many others came
 * is forgotten. Proof under a key ends with the key.
 */
export const provenMemory = <V>(): ((seals: RowSeals) => ProvenMemory<V>) => {
  const memories = new WeakMap<RowSeals, ProvenMemory<V> & { keys: string }>()
  return (seals) => {
    const keys = acceptedKeys(seals)
    let memory = memories.get(seals)
    if (memory?.keys !== keys) {
      memory = { keys, ...twoGenerations<V>() }
      memories.set(seals, memory)
    }
    return memory
  }
}

const twoGenerations = <V>(): ProvenMemory<V> => {
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  const isMetAgain = metAgain()
  const keep = (name: string, value: V): void => {
    if (young.size >= generationMax) [young, old] = [new Map(), young]
    young.set(name, value)
  }
  const set = (name: string, value: V): void => {
    if (isMetAgain(name)) keep(name, value)
  }
  const get = (name: string): V | undefined => {
    const recent = young.get(name)
    if (recent !== undefined) return recent
    const earlier = old.get(name)
    if (earlier !== undefined) keep(name, earlier)
    return earlier
  }
  return { get, set }
}

/**
 * Whether a name has been met before, while few others came. To keep what is read only once costs
 * the garbage collector more than its proof costs (docs/decisions/0267). Seals and ids end with
 * random hexadecimal digits; a name takes the place of another one with the same remainder.
 */
const metAgain = (): ((name: string) => boolean) => {
  const lastMet = new Uint32Array(2 * generationMax)
  return (name) => {
    const digits = Number.parseInt(name.slice(-8), 16)
    const place = digits % lastMet.length
    if (lastMet[place] === digits) return true
    lastMet[place] = digits
    return false
  }
}

type Remembered = 'connections' | 'organizations' | 'organization_counters'

interface ProvenRow {
  /** In another table, equal bytes would be no row of the service. */
  table: Remembered
  packed: string
  row: object
}

/** At most 16 MB of text (two bytes per character), some 2 with usual rows. */
const rowsMemory = provenMemory<ProvenRow>()
const packedMax = 2_048

/** `unpackRow` for rows that change seldom. Nobody may change what it returns. */
export const provenRow = <T extends Remembered>(
  seals: RowSeals,
  table: T,
  packed: string,
): Rows[T] => {
  const memory = rowsMemory(seals)
  const seal = packed.slice(0, packed.indexOf(separator))
  const known = memory.get(seal)
  if (known?.packed === packed && known.table === table) return known.row as Rows[T]
  const row = Object.freeze(withOwnTexts(unpackRow<Remembered>(seals, table, packed))) as Rows[T]
  if (packed.length <= packedMax) memory.set(seal, { table, packed, row })
  return row
}

/** A part of a longer text keeps all of it, and JSON.stringify is slow wherever it meets one. */
const withOwnTexts = (row: Rows[Remembered]): Rows[Remembered] => {
  const cells: object = Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' ? Buffer.from(value).toString() : value,
    ]),
  )
  return cells as Rows[Remembered]
}
