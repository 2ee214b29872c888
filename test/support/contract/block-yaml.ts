/**
 * Reads only the YAML that src/docs/openapi/yaml.ts writes: indented block mappings and lists, with
 * scalars in JSON. Anything else is an error.
 */
export const readBlockYaml = (text: string): unknown => {
  const lines = text.split('\n').slice(0, -1)
  const { value, next } = node(lines, 0, indentOf(lines[0] ?? ''))
  if (next !== lines.length) throw new Error(`line ${next + 1} belongs to no block`)
  return value
}

interface Read {
  value: unknown
  next: number
}

const indentOf = (line: string): number => line.length - line.trimStart().length

const node = (lines: string[], at: number, indent: number): Read =>
  lines[at]?.trimStart().startsWith('- ') ? sequence(lines, at, indent) : mapping(lines, at, indent)

const sequence = (lines: string[], from: number, indent: number): Read => {
  const value: unknown[] = []
  let at = from
  while (at < lines.length && indentOf(lines[at]!) === indent && lines[at]![indent] === '-') {
    // An entry begins two columns to the right of its dash.
    const rest = lines[at]!.slice(indent + 2)
    const isNested = rest.startsWith('- ') || keyOf(rest) !== undefined
    if (isNested) {
      const entry = node(lines.with(at, `${' '.repeat(indent + 2)}${rest}`), at, indent + 2)
      value.push(entry.value)
      at = entry.next
    } else {
      value.push(JSON.parse(rest))
      at += 1
    }
  }
  return { value, next: at }
}

const mapping = (lines: string[], from: number, indent: number): Read => {
  const value: Record<string, unknown> = {}
  let at = from
  while (at < lines.length && indentOf(lines[at]!) === indent && lines[at]![indent] !== '-') {
    const key = keyOf(lines[at]!.slice(indent))
    if (key === undefined) throw new Error(`line ${at + 1} has no key`)
    if (key.rest === '') {
      const inner = node(lines, at + 1, indentOf(lines[at + 1]!))
      value[key.name] = inner.value
      at = inner.next
    } else {
      value[key.name] = JSON.parse(key.rest)
      at += 1
    }
  }
  return { value, next: at }
}

/** `name: rest` or `"name": rest`; the rest is empty if the value follows on the next lines. */
const keyOf = (line: string): { name: string; rest: string } | undefined => {
  const match = /^(?:([A-Za-z][\w-]*)|("(?:[^"\\]|\\.)*")):(?: (.+))?$/.exec(line)
  if (match === null) return undefined
  const [, plain, quoted, rest = ''] = match
  return { name: plain ?? (JSON.parse(quoted!) as string), rest }
}
