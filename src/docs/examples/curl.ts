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
  /** The shell variable that gets the first id with this prefix in the response. */
  keeps?: { variable: string; prefix: string }
}

export const curl = (call: CurlCall): string => {
  const { method, url, credential, idempotencyKey, body, form = {}, keeps } = call
  const target = /^[\w:/.$-]+$/.test(url) ? url : `"${url}"`
  const command = [
    `curl ${keeps === undefined ? '' : '-sS '}${method === 'GET' ? '' : `-X ${method} `}${target}`,
    ...(credential === undefined ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...(idempotencyKey === undefined ? [] : [`-H 'Idempotency-Key: ${idempotencyKey}'`]),
    ...Object.entries(form).map(([name, value]) => `-F ${name}=${value}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(body)}`]),
  ].join(' \\\n  ')
  if (keeps === undefined) return command
  const { variable, prefix } = keeps
  return `export ${variable}=$(${command} \\\n  | grep -o '${prefix}_[0-9a-z]*' | head -n 1)\necho $${variable}`
}

/**
 * Within single quotes, only the quote itself has a meaning to the shell. A value that is a
 * variable, `$CONNECTION_ID`, stands outside of them.
 */
export const quoted = (body: object): string => {
  const text = JSON.stringify(body, null, 2).replaceAll('\n', '\n  ').replaceAll("'", "'\\''")
  return `'${text.replaceAll(/"(\$[A-Z_]+)"/g, `"'$1'"`)}'`
}
