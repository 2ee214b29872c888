/**
 * Plain JSON data as YAML 1.2 in block style. Every scalar is its JSON text, and YAML 1.2 reads
 * JSON scalars as JSON does; so are keys, but for those that no reader can take for something else.
 */
export const toYaml = (value: unknown): string => node(value, '').trimStart()

/** JSON leaves characters bare that older readers of YAML take for a line break. */
const scalar = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** What stands after `key:` or `-`, with the space or line break before it. */
const node = (value: unknown, indent: string): string => {
  if (typeof value !== 'object' || value === null) return ` ${scalar(value)}\n`
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []\n'
    // The first line of an entry stands right after its dash.
    const entries = value.map((one: unknown) => `${indent}- ${node(one, deeper).trimStart()}`)
    return `\n${entries.join('')}`
  }
  const fields = Object.entries(value)
  if (fields.length === 0) return ' {}\n'
  return `\n${fields.map(([name, one]) => `${indent}${key(name)}:${node(one, deeper)}`).join('')}`
}

const plainKey = /^[A-Za-z][A-Za-z0-9_-]*$/
/** Words that some reader takes for a boolean or for nothing. */
const reserved = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n'])

const key = (name: string): string =>
  plainKey.test(name) && !reserved.has(name.toLowerCase()) ? name : scalar(name)
