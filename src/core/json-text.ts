/** Where the parts of a JSON text end. */

const space = 0x20
const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

/** How many keys all objects of well-formed JSON have, whatever else is in it. */
export function countKeys(text: string): number {
  let count = 0
  let escapeOffset = -1
  let end = -1
  for (;;) {
    const start = text.indexOf('"', end + 1)
    if (start === -1) return count
    if (escapeOffset < start) escapeOffset = indexOrInfinity(text.indexOf('\\', start))
    end = text.indexOf('"', start + 1)
    if (escapeOffset < end) end = endOfEscapedString(text, escapeOffset)
    let next = text.charCodeAt(end + 1)
    if (next <= space) next = text.charCodeAt(endOfSpace(text, end + 1))
    if (next === colon) count += 1
  }
}

const whiteSpace = /[ \t\n\r]*/y

export function endOfSpace(text: string, offset: number): number {
  whiteSpace.lastIndex = offset
  whiteSpace.test(text)
  return whiteSpace.lastIndex
}

/** The closing quote of a string whose first backslash is at `escapeOffset`, or -1. */
export function endOfEscapedString(text: string, escapeOffset: number): number {
  let offset = escapeOffset
  while (offset < text.length) {
    const code = text.charCodeAt(offset)
    if (code === quote) return offset
    offset += code === backslash ? 2 : 1
  }
  return -1
}

export function indexOrInfinity(index: number): number {
  return index === -1 ? Infinity : index
}
