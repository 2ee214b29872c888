/** How PostgreSQL prints the values of each type, which seals cover (row-seals.ts). */

export interface PrintedForm {
  print: (value: never) => string
  /** What `typeof` says of the value that the driver makes of it. */
  valueType: 'bigint' | 'boolean' | 'number' | 'object' | 'string'
}

let lastTimestamp = { value: '', printed: '' }

/**
 * '2026-11-21T01:40:00.120Z' → '2026-11-21 01:40:00.12+00'. What is written together mostly shares
 * one time. A column without time zones has values of another form, which stay as they are.
 */
const printTimestamp = (value: string): string => {
  if (!value.endsWith('Z')) return value
  if (lastTimestamp.value !== value) {
    const fraction = value.slice(19, 23).replace(/\.?0+$/, '')
    const printed = `${value.slice(0, 10)} ${value.slice(11, 19)}${fraction}+00`
    lastTimestamp = { value, printed }
  }
  return lastTimestamp.printed
}

const forms: Readonly<Record<string, PrintedForm>> = {
  bigint: { print: String, valueType: 'bigint' },
  boolean: { print: (value: boolean) => (value ? 't' : 'f'), valueType: 'boolean' },
  bytea: { print: (value: Buffer) => `\\x${value.toString('hex')}`, valueType: 'object' },
  integer: { print: String, valueType: 'number' },
  timestamptz: { print: printTimestamp, valueType: 'string' },
  'text[]': { print: (value: readonly string[]) => JSON.stringify(value), valueType: 'object' },
}

/** `type` is one of the catalogue, without the mark of nullable columns. */
export const printedForm = (type: string): PrintedForm =>
  forms[type] ?? { print: String, valueType: 'string' }
