/** Writes XML: elements with attributes and children, of which empty ones are left out. */

export type Child = string | Markup | undefined | readonly Child[]
type Attributes = Readonly<Record<string, string>>

/** A piece of XML that is written already. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}

/**
 * A character that XML 1.0 does not allow becomes U+FFFD. One above U+FFFF is written by its
 * number: the parser of Java 17 refuses some of them in UTF-8, where its buffer happens to end.
 */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- the characters that XML excludes
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(
      /[&<>"\r]|[\ud800-\udbff][\udc00-\udfff]/g,
      (character) => escapes[character] ?? `&#${character.codePointAt(0)!};`,
    )

const written = (child: Child): string => {
  if (child === undefined) return ''
  if (typeof child === 'string') return escaped(child)
  if (child instanceof Markup) return child.text
  return (child as readonly Child[]).map(written).join('')
}

/** Undefined if it would be empty. */
export const elementWith = (
  name: string,
  attributes: Attributes,
  ...children: Child[]
): Markup | undefined => {
  const content = written(children)
  if (content.trim() === '') return undefined
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  return new Markup(`<${name}${given.join('')}>${content}</${name}>`)
}

export const element = (name: string, ...children: Child[]): Markup | undefined =>
  elementWith(name, {}, ...children)

/** The text of an element that is left out when there is none. */
export const optional = (name: string, text: string | null | undefined): Markup | undefined =>
  text == null ? undefined : element(name, text)

export const xmlDocument = (root: Markup | undefined): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${root?.text ?? ''}\n`
