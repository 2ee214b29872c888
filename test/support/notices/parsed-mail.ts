/** Reads a mail of two parts as a mail client does (RFC 2045 to 2047, as far as needed here). */
import assert from 'node:assert/strict'

export interface ReceivedMail {
  /** Of the envelope. */
  from: string
  to: string[]
  raw: string
  /** By their names in lower case, each with all its values. */
  headers: ReadonlyMap<string, readonly string[]>
  subject: string
  text: string
  html: string
}

export const parsedMail = ({
  from,
  to,
  raw,
}: Pick<ReceivedMail, 'from' | 'to' | 'raw'>): ReceivedMail => {
  const { headers, body } = entityOf(raw)
  const [contentType = ''] = headers.get('content-type') ?? []
  const [, boundary] = /boundary="?([^";]+)/.exec(contentType) ?? []
  assert(boundary, contentType)
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => entityOf(part.slice(2)))
  const contentOf = (type: string): string => {
    const part = parts.find((one) => one.headers.get('content-type')?.[0]?.startsWith(type))
    assert(part, `there is a part ${type}`)
    return decodedBody(part)
  }
  const [subject = ''] = headers.get('subject') ?? []
  const [text, html] = [contentOf('text/plain'), contentOf('text/html')]
  return { from, to, raw, headers, subject: decodedWords(subject), text, html }
}

interface Entity {
  headers: Map<string, string[]>
  body: string
}

const entityOf = (raw: string): Entity => {
  const at = raw.indexOf('\r\n\r\n')
  const headers = new Map<string, string[]>()
  for (const line of raw
    .slice(0, at)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const [name = '', ...value] = line.split(':')
    const key = name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), value.join(':').trim()])
  }
  return { headers, body: raw.slice(at + 4) }
}

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  )

const decodedBody = ({ headers, body }: Entity): string => {
  const [encoding = ''] = headers.get('content-transfer-encoding') ?? []
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding === 'quoted-printable') return quotedPrintable(body).toString()
  return Buffer.from(body, 'latin1').toString()
}

const decodedWords = (text: string): string =>
  text
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, (_, encoding: string, content: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(content, 'base64').toString()
        : quotedPrintable(content.replaceAll('_', ' ')).toString(),
    )
