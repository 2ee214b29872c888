/** Renders a text once per deployment, when it is first requested, and hashes it for its ETag. */
import { createHash } from 'node:crypto'
import type { Config } from '../../config.ts'

export interface Rendered {
  text: string
  etag: string
}

export const renderOnce = (render: (config: Config) => string): ((config: Config) => Rendered) => {
  const cache = new WeakMap<Config, Rendered>()
  return (config) => {
    const cached = cache.get(config)
    if (cached !== undefined) return cached
    const text = render(config)
    const hash = createHash('sha256').update(text).digest('base64url')
    const rendered = { text, etag: `"${hash.slice(0, 22)}"` }
    cache.set(config, rendered)
    return rendered
  }
}
