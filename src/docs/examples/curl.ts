/** A request as a curl command that can be pasted into a shell. */
export interface CurlCall {
  method: string
  url: string
  /** The shell variable that holds the credential, if the request needs one. */
  credential?: string
  idempotencyKey?: string
  /** Headers beside the usual ones. */
  headers?: Readonly<Record<string, string>>
  body?: object
  /** The parts of a form; a file is `@` and its name. */
  form?: Readonly<Record<string, string>>
  /** The shell variable that gets the first id with this prefix in the response. */
  keeps?: { variable: string; prefix: string }
  /** Nothing but the response is printed, for the next command. */
  isQuiet?: boolean
}

export const curl = (call: CurlCall): string => {
  const { method, url, credential, idempotencyKey, headers = {}, body, form = {}, keeps } = call
  const isQuiet = call.isQuiet === true || keeps !== undefined
  const target = /^[\w:/.$-]+$/.test(url) ? url : `"${url}"`
  const command = [
    `curl ${isQuiet ? '-sS ' : ''}${method === 'GET' ? '' : `-X ${method} `}${target}`,
    ...(credential === undefined ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...(idempotencyKey === undefined ? [] : [`-H ${keyHeader(idempotencyKey)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...Object.entries(form).map(([name, value]) => `-F ${name}=${value}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(body)}`]),
  ].join(' \\\n  ')
  if (keeps === undefined) return command
  const { variable, prefix } = keeps
  return `export ${variable}=$(${command} \\\n  | grep -o '${prefix}_[0-9a-z]*' | head -n 1)\necho $${variable}`
}

const keyHeader = (key: string): string =>
  key.includes('$') ? `"Idempotency-Key: ${key}"` : `'Idempotency-Key: ${key}'`

/**
 * Within single quotes, only the quote itself has a meaning to the shell. Variables, such as
 * `$CONNECTION_ID`, stand outside of them.
 */
export const quoted = (body: object): string => {
  const text = JSON.stringify(body, null, 2).replaceAll('\n', '\n  ').replaceAll("'", "'\\''")
  return `'${text.replaceAll(/\$[A-Z][A-Z_]*/g, "'$&'")}'`
}
