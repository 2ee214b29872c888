/**
 * Whole columns as PostgreSQL arrays in the binary format: one value per statement parameter, with
 * no quoting on our side and no parsing on theirs. JSON text in an array literal would have every
 * quote escaped, which costs more than the insert itself.
 */

export type ColumnType =
  | 'uuid'
  | 'text'
  | 'integer'
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'date'
  | 'timestamptz'
  | 'jsonb'

export type ColumnValue = string | number | bigint | boolean | Uint8Array | null

interface Encoding {
  oid: number
  /** Bytes the value takes; the text encodings measure, the others are fixed. */
  size(value: never): number
  write(into: Buffer, at: number, value: never): void
}

const text = (oid: number): Encoding => ({
  oid,
  size: (value: string) => Buffer.byteLength(value),
  write: (into, at, value: string) => into.write(value, at),
})

const epochMs = Date.UTC(2000, 0, 1)
const dayMs = 86_400_000

const encodings: Record<ColumnType, Encoding> = {
  uuid: {
    oid: 2950,
    size: () => 16,
    write: (into, at, value: string) => into.write(value.replaceAll('-', ''), at, 'hex'),
  },
  text: text(25),
  // jsonb's binary form is a version byte, then the text.
  jsonb: {
    oid: 3802,
    size: (value: string) => 1 + Buffer.byteLength(value),
    write: (into, at, value: string) => {
      into[at] = 1
      into.write(value, at + 1)
    },
  },
  integer: {
    oid: 23,
    size: () => 4,
    write: (into, at, value: number) => into.writeInt32BE(value, at),
  },
  bigint: {
    oid: 20,
    size: () => 8,
    write: (into, at, value: bigint) => into.writeBigInt64BE(value, at),
  },
  boolean: {
    oid: 16,
    size: () => 1,
    write: (into, at, value: boolean) => into.writeUInt8(value ? 1 : 0, at),
  },
  bytea: {
    oid: 17,
    size: (value: Uint8Array) => value.length,
    write: (into, at, value: Uint8Array) => into.set(value, at),
  },
  // Days, and microseconds, since 2000-01-01.
  date: {
    oid: 1082,
    size: () => 4,
    write: (into, at, value: string) =>
      into.writeInt32BE((Date.parse(`${value}T00:00:00Z`) - epochMs) / dayMs, at),
  },
  timestamptz: {
    oid: 1184,
    size: () => 8,
    write: (into, at, value: string) =>
      into.writeBigInt64BE(BigInt(Date.parse(value) - epochMs) * 1000n, at),
  },
}

/** One column's values as a one-dimensional array of `type`. */
export const columnArray = (type: ColumnType, values: readonly ColumnValue[]): Buffer => {
  const encoding = encodings[type]
  const sizes = values.map((value) => (value === null ? -1 : encoding.size(value as never)))
  const total = sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), 20)
  const buffer = Buffer.allocUnsafe(total)
  buffer.writeInt32BE(1, 0) // one dimension
  buffer.writeInt32BE(sizes.includes(-1) ? 1 : 0, 4)
  buffer.writeInt32BE(encoding.oid, 8)
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16) // lower bound
  let at = 20
  values.forEach((value, i) => {
    const size = sizes[i]!
    at = buffer.writeInt32BE(size, at)
    if (size > 0) encoding.write(buffer, at, value as never)
    at += Math.max(size, 0)
  })
  return buffer
}
