/** Values as source text: on one line if it is short, else one line for each field. */
export interface Syntax {
  key: (name: string) => string
  text: (content: string) => string
  isTrue: string
  isFalse: string
  nothing: string
  /** Within the braces of an object on one line. */
  padding: string
  /** One level of it. */
  indent: string
}

const lineMaxLength = 76

/** `indent` is that of the line on which the value begins, `before` what that line has already. */
export const literal = (value: unknown, syntax: Syntax, indent = '', before = 0): string => {
  const short = onOneLine(value, syntax)
  const isShort = before + short.length <= lineMaxLength
  if (isShort || typeof value !== 'object' || value === null) return short
  const inner = `${indent}${syntax.indent}`
  const lines = Array.isArray(value)
    ? value.map((one) => literal(one, syntax, inner, inner.length))
    : Object.entries(value).map(([name, one]) => {
        const key = `${syntax.key(name)}: `
        return key + literal(one, syntax, inner, inner.length + key.length)
      })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`
}

const onOneLine = (value: unknown, syntax: Syntax): string => {
  const { key, text, isTrue, isFalse, nothing, padding } = syntax
  if (typeof value === 'string') return text(value)
  if (typeof value === 'boolean') return value ? isTrue : isFalse
  if (typeof value !== 'object') return JSON.stringify(value)
  if (value === null) return nothing
  if (Array.isArray(value)) return `[${value.map((one) => onOneLine(one, syntax)).join(', ')}]`
  const fields = Object.entries(value).map(
    ([name, one]) => key(name) + `: ${onOneLine(one, syntax)}`,
  )
  return fields.length === 0 ? '{}' : `{${padding}${fields.join(', ')}${padding}}`
}

/** A call on one line if it is short; else its last argument that has fields spreads over lines. */
export const callText = (
  name: string,
  args: readonly (string | object)[],
  syntax: Syntax,
  before = 0,
): string => {
  const short = args.map((one) => (typeof one === 'string' ? one : onOneLine(one, syntax)))
  const line = `${name}(${short.join(', ')})`
  const spread = args.findIndex((one) => typeof one === 'object')
  if (before + line.length <= lineMaxLength || spread < 0) return line
  const texts = short.with(spread, literal(args[spread], syntax, '', Infinity))
  return `${name}(${texts.join(', ')})`
}

export interface Span {
  variable: boolean
  text: string
}

/** A text in parts: `$RUN-pay` is the variable RUN and the rest. */
export const spansOf = (content: string): Span[] =>
  content
    .split(/(\$[A-Z][A-Z_]*)/)
    .map((text, i) =>
      i % 2 === 1 ? { variable: true, text: text.slice(1) } : { variable: false, text },
    )
    .filter(({ text }) => text !== '')
