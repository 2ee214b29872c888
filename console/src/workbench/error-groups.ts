/** Refused requests, grouped by what was refused, where, and to whom. */
import type { RequestLogEntry } from '../api/types.ts'

export interface ErrorGroup {
  code: string
  status: number
  method: string
  /** The path with `{id}` for each id. */
  endpoint: string
  /** Null for people. */
  keyId: string | null
  count: number
  first: string
  last: string
  /** Of the latest. */
  requestId: string
}

/** Of requests that come newest first; the group that was refused last is the first. */
export const errorGroups = (refused: readonly RequestLogEntry[]): ErrorGroup[] => {
  const groups = new Map<string, ErrorGroup>()
  for (const { id, method, path, status, error_code, key_id, created_at } of refused) {
    const code = error_code ?? String(status)
    const endpoint = endpointOf(path)
    const name = [code, method, endpoint, key_id].join(' ')
    const known = groups.get(name)
    if (known !== undefined) Object.assign(known, { count: known.count + 1, first: created_at })
    else
      groups.set(name, {
        code,
        status,
        method,
        endpoint,
        keyId: key_id,
        requestId: id,
        count: 1,
        first: created_at,
        last: created_at,
      })
  }
  return [...groups.values()]
}

const endpointOf = (path: string): string =>
  path.replaceAll(/\/[a-z]{2,5}_[0-9a-z]{26}(?=\/|$)/g, '/{id}')

/** What the request log finds the requests of a group by. */
export const pathFilterOf = ({ endpoint }: ErrorGroup): string => {
  const at = endpoint.indexOf('{id}')
  return at === -1 ? endpoint : `${endpoint.slice(0, at)}*`
}
