/** A text that is made once per deployment, on the first call for it, and known by its hash. */
import { createHash } from 'node:crypto'
import type { Config } from '../../config.ts'

export interface Rendered {
  text: string
  etag: string
}

export const renderOnce = (make: (config: Config) => string): ((config: Config) => Rendered) => {
  const made = new WeakMap<Config, Rendered>()
  return (config) => {
    const known = made.get(config)
    if (known !== undefined) return known
    const text = make(config)
    const hash = createHash('sha256').update(text).digest('base64url')
    const rendered = { text, etag: `"${hash.slice(0, 22)}"` }
    made.set(config, rendered)
    return rendered
  }
}
