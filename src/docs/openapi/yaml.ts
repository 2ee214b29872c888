/**
 * Writes JSON data as YAML 1.2 in block style. Every scalar is written as JSON, which YAML 1.2
 * reads in the same way; so is every key, unless no reader can misread it as something else.
 */
export const toYaml = (value: unknown): string => node(value, '').trimStart()

/** Escapes characters that JSON leaves bare and older YAML readers treat as line breaks. */
const scalar = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The text that follows `key:` or `-`, with the space or line break before it. */
const node = (value: unknown, indent: string): string => {
  if (typeof value !== 'object' || value === null) return ` ${scalar(value)}\n`
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []\n'
    // The first line of an entry follows its dash directly.
    const entries = value.map((entry: unknown) => `${indent}- ${node(entry, deeper).trimStart()}`)
    return `\n${entries.join('')}`
  }
  const fields = Object.entries(value)
  if (fields.length === 0) return ' {}\n'
  return `\n${fields.map(([name, field]) => `${indent}${key(name)}:${node(field, deeper)}`).join('')}`
}

const plainKey = /^[A-Za-z][A-Za-z0-9_-]*$/
/** Words that some readers take for a boolean or null. */
const reserved = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n'])

const key = (name: string): string =>
  plainKey.test(name) && !reserved.has(name.toLowerCase()) ? name : scalar(name)
