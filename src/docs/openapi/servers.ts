/** Where a deployment can be reached, as OpenAPI says it. */
import { hostOf, isLoopback } from '../../core/identity/ip-addresses.ts'

export interface ServerObject {
  url: string
  description: string
  variables?: Record<string, { default: string }>
}

/**
 * A name that means another machine to each of its readers is only the default of a variable, which
 * clients may replace; every other address is written out. The variable has no description: many
 * validators carry a schema of OpenAPI 3.1 that misspells it.
 */
export const serverOf = (baseUrl: string): ServerObject => {
  const url = new URL(baseUrl)
  if (!isLoopback(hostOf(url))) return { url: baseUrl, description: 'This deployment.' }
  const { host } = url
  return {
    url: baseUrl.replace(host, '{host}'),
    description: 'This deployment, on the machine where it runs.',
    variables: { host: { default: host } },
  }
}
