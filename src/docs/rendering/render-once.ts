/** Renders a text once per deployment, when it is first requested, and hashes it for its ETag. */
import { createHash } from 'node:crypto'
import type { Config } from '../../config.ts'

export interface Rendered {
  text: string
  etag: string
}

/** Makes something once per deployment, when it is first needed. */
export const oncePerDeployment = <Made extends object>(
  make: (config: Config) => Made,
): ((config: Config) => Made) => {
  const made = new WeakMap<Config, Made>()
  return (config) => {
    let own = made.get(config)
    if (own === undefined) made.set(config, (own = make(config)))
    return own
  }
}

export const renderOnce = (render: (config: Config) => string): ((config: Config) => Rendered) =>
  oncePerDeployment((config) => {
    const text = render(config)
    const hash = createHash('sha256').update(text).digest('base64url')
    return { text, etag: `"${hash.slice(0, 22)}"` }
  })
