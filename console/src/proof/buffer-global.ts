/** The published verifier is written for Node.js, where Buffer is a global. */
import { Buffer } from 'buffer/'

const { toString } = Buffer.prototype

/** The package knows all encodings of Node.js but base64url. */
Buffer.prototype.toString = function (encoding?: string, start?: number, end?: number): string {
  if (encoding !== 'base64url') return toString.call(this, encoding, start, end)
  const text = toString.call(this, 'base64', start, end)
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

Object.assign(globalThis, { Buffer })
