/** A call as one would make it in a terminal, with a key or, where no key will do, a session. */
import { needsSession } from './calls-of-people.ts'

interface CurlCall {
  method?: string
  /** With its query. */
  url: string
  /** JSON. What a write of a page has sent is kept nowhere, so its body is for the person to fill in. */
  body?: string | undefined
  idempotencyKey?: string | undefined
  isDry?: boolean | undefined
}

export const curlOf = ({ method = 'GET', url, ...call }: CurlCall): string => {
  const { body, idempotencyKey, isDry = false } = call
  const token = needsSession({ method, url }) ? 'DOCEX_SESSION_TOKEN' : 'DOCEX_API_KEY'
  return [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    quoted(location.origin + url),
    ...(url === '/auth/methods' ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...(method === 'GET' || url.startsWith('/auth/')
      ? []
      : idempotencyKey === undefined
        ? [`-H "Idempotency-Key: $(uuidgen)"`]
        : ['-H', quoted(`Idempotency-Key: ${idempotencyKey}`)]),
    ...(body === undefined && ['GET', 'DELETE'].includes(method)
      ? []
      : [
          `-H 'Content-Type: application/json'`,
          '-d',
          body === undefined ? '@body.json' : quoted(body),
        ]),
    ...(isDry ? [`-H 'Svc-Dry-Run: true'`] : []),
  ].join(' ')
}

/** As one word of a shell, whatever is in it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
