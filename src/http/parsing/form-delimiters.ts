/**
 * Counts the delimiters of a form. The parser drops a part that it cannot read, without a word: a
 * line of the file that begins with the delimiter would end the file there, and lose what follows.
 */
export interface FormDelimiters {
  add(chunk: Buffer): void
  /** Whether there are more than those of so many parts, and the last one. */
  exceed(parts: number): boolean
}

export const formDelimiters = (contentType: string): FormDelimiters => {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? []
  const delimiter = Buffer.from(`\r\n--${quoted ?? plain}`, 'latin1')
  // The first line of a form has none before it.
  let rest: Buffer = Buffer.from('\r\n')
  let count = 0
  return {
    add: (chunk) => {
      const bytes = Buffer.concat([rest, chunk])
      for (let at = bytes.indexOf(delimiter); at >= 0; count++)
        at = bytes.indexOf(delimiter, at + delimiter.length)
      rest = bytes.subarray(Math.max(0, bytes.length - delimiter.length + 1))
    },
    exceed: (parts) => count > parts + 1,
  }
}
