/**
 * Encodes a column of values as a PostgreSQL array in the binary format, to pass it as a single
 * statement parameter without quoting here or parsing there. In an array literal, every quote of a
 * JSON text would be escaped, which costs more than the insert itself.
 */
import { limits } from '../contract/limits.ts'
import { dayMs } from '../core/dates.ts'
import { bytesOfUuid } from '../core/ids.ts'
import { rememberingLast } from '../core/remembering-parser.ts'

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
  | 'xid'

export type ColumnValue = string | number | bigint | boolean | Uint8Array | null

interface ColumnEncoding {
  oid: number
  /** An upper bound of the value's size. */
  maxBytes(value: never): number
  /** Writes the value and returns its size in bytes. */
  write(into: Buffer, at: number, value: never): number
}

const postgresEpochMs = Date.UTC(2000, 0, 1)

/** Rows that are written together mostly share their times and days. */
const msOfTime = rememberingLast(Date.parse)
const msOfDay = rememberingLast((day) => Date.parse(`${day}T00:00:00Z`))

const writeText = (into: Buffer, at: number, value: string): number => into.write(value, at)

const encodings: Record<ColumnType, ColumnEncoding> = {
  uuid: {
    oid: 2950,
    maxBytes: () => 16,
    write: (into, at, value: string) => {
      into.set(bytesOfUuid(value), at)
      return 16
    },
  },
  text: { oid: 25, maxBytes: (value: string) => value.length * 3, write: writeText },
  // jsonb's binary form is a version byte, then the text.
  jsonb: {
    oid: 3802,
    maxBytes: (value: string) => 1 + value.length * 3,
    write: (into, at, value: string) => {
      into[at] = 1
      return 1 + writeText(into, at + 1, value)
    },
  },
  integer: {
    oid: 23,
    maxBytes: () => 4,
    write: (into, at, value: number) => into.writeInt32BE(value, at) - at,
  },
  // The number of a transaction, without a sign.
  xid: {
    oid: 28,
    maxBytes: () => 4,
    write: (into, at, value: number) => into.writeUInt32BE(value, at) - at,
  },
  bigint: {
    oid: 20,
    maxBytes: () => 8,
    write: (into, at, value: bigint | number) => into.writeBigInt64BE(BigInt(value), at) - at,
  },
  boolean: {
    oid: 16,
    maxBytes: () => 1,
    write: (into, at, value: boolean) => into.writeUInt8(value ? 1 : 0, at) - at,
  },
  bytea: {
    oid: 17,
    maxBytes: (value: Uint8Array) => value.length,
    write: (into, at, value: Uint8Array) => {
      into.set(value, at)
      return value.length
    },
  },
  // Days, and microseconds, since 2000-01-01.
  date: {
    oid: 1082,
    maxBytes: () => 4,
    write: (into, at, value: string) =>
      into.writeInt32BE((msOfDay(value) - postgresEpochMs) / dayMs, at) - at,
  },
  timestamptz: {
    oid: 1184,
    maxBytes: () => 8,
    write: (into, at, value: string) => {
      const micros = (msOfTime(value) - postgresEpochMs) * 1000
      const high = Math.floor(micros / 2 ** 32)
      into.writeInt32BE(high, at)
      into.writeUInt32BE(micros - high * 2 ** 32, at + 4)
      return 8
    },
  },
}

const headerBytes = 20

/** Arrays are assembled here, since their length is not known in advance, and then copied out. */
let scratch = Buffer.allocUnsafeSlow(65_536)

const growScratch = (bytes: number): void => {
  if (bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(bytes * 2)
  scratch.copy(larger)
  scratch = larger
}

/** One column's values as a one-dimensional array of `type`. */
export const columnArray = (type: ColumnType, values: readonly ColumnValue[]): Buffer => {
  const { oid, maxBytes, write } = encodings[type]
  let at = headerBytes
  let hasNull = 0
  for (const value of values) {
    if (value === null) {
      growScratch(at + 4)
      at = scratch.writeInt32BE(-1, at)
      hasNull = 1
    } else {
      growScratch(at + 4 + maxBytes(value as never))
      const size = write(scratch, at + 4, value as never)
      scratch.writeInt32BE(size, at)
      at += 4 + size
    }
  }
  scratch.writeInt32BE(1, 0) // one dimension
  scratch.writeInt32BE(hasNull, 4)
  scratch.writeInt32BE(oid, 8)
  scratch.writeInt32BE(values.length, 12)
  scratch.writeInt32BE(1, 16) // lower bound
  const array = Buffer.from(scratch.subarray(0, at))
  if (scratch.length > limits.arrayScratchMaxBytes) scratch = Buffer.allocUnsafeSlow(65_536)
  return array
}
