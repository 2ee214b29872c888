/** A request as a curl command that can be pasted into a shell. */
export interface CurlCall {
  method: string
  url: string
  /** The shell variable that holds the credential, if the request needs one. */
  credential?: 'API_KEY' | 'DEMO_API_KEY' | 'ADMIN_SESSION_TOKEN'
  idempotencyKey?: string
  body?: object
  /** The parts of a form; a file is `@` and its name. */
  form?: Readonly<Record<string, string>>
}

export const curl = (call: CurlCall): string => {
  const { method, url, credential, idempotencyKey, body, form = {} } = call
  const target = /^[\w:/.$-]+$/.test(url) ? url : `"${url}"`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${target}`,
    ...(credential === undefined ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...(idempotencyKey === undefined ? [] : [`-H 'Idempotency-Key: ${idempotencyKey}'`]),
    ...Object.entries(form).map(([name, value]) => `-F ${name}=${value}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(body)}`]),
  ].join(' \\\n  ')
}

/** Within single quotes, only the quote itself has a meaning to the shell. */
const quoted = (body: object): string =>
  `'${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ').replaceAll("'", "'\\''")}'`
