/** A call as the generated functions describe it, and its URL, headers and body. */

export type QueryValue = string | number | boolean | Date | readonly QueryValue[]

/** A file to upload. */
export interface FileInput {
  filename: string
  content: Blob | Uint8Array | ArrayBuffer | string
  contentType?: string | undefined
  /** The other parts of the form, where the operation has any. */
  fields?: Readonly<Record<string, string>> | undefined
}

export interface CallDescription {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: object | undefined
  body?: object | undefined
  file?: FileInput
}

export interface ReadOptions {
  signal?: AbortSignal | undefined
  /** How long one attempt may take. */
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
}

export interface WriteOptions extends ReadOptions {
  /** One per intention. Without it, the call makes one and keeps it over its retries. */
  idempotencyKey?: string | undefined
  /** Runs every check and changes nothing. */
  dryRun?: boolean | undefined
}

export interface ChangeOptions extends WriteOptions {
  /** The revision that you have read: 412 if the document has changed since. */
  ifMatch?: number | string | undefined
}

export const segment = (value: string | number): string => {
  const text = String(value)
  // An empty one, or dots, would make the path another one.
  if (/^\.{0,2}$/.test(text) || value === undefined || value === null) {
    throw new TypeError('An id in the path is missing: send the id of the record.')
  }
  return encodeURIComponent(text)
}

export const urlOf = (baseUrl: string, { path, query = {} }: CallDescription): string => {
  const parameters = Object.entries(query as Record<string, QueryValue | undefined>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(printed(value!))}`)
  return `${baseUrl}${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

const printed = (value: QueryValue): string =>
  value instanceof Date
    ? value.toISOString()
    : Array.isArray(value)
      ? value.map(printed).join(',')
      : String(value)

/** A body, prepared once for all attempts. */
export interface PreparedBody {
  contentType?: string
  body?: string | FormData
}

export const bodyOf = ({ body, file }: CallDescription): PreparedBody => {
  if (file !== undefined) {
    const { filename, content, contentType, fields = {} } = file as Partial<FileInput>
    const isBytes = ArrayBuffer.isView(content) || content instanceof ArrayBuffer
    // A form would send anything else as a text, such as "undefined".
    if (!filename || !(typeof content === 'string' || content instanceof Blob || isBytes)) {
      throw new TypeError('A file is {filename, content}: a Blob, bytes or text.')
    }
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    const type = contentType ?? (content as Blob).type
    form.append('file', new Blob([content as Blob], { type }), filename)
    return { body: form }
  }
  return body === undefined
    ? {}
    : { contentType: 'application/json', body: JSON.stringify(body, finite) }
}

/** JSON has no NaN and would have null instead, which for a limit means none. */
const finite = (name: string, value: unknown): unknown => {
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  throw new TypeError(`\`${name}\` is ${value}.`)
}

export const contentOf = async (url: string, call: CallDescription): Promise<Uint8Array> => {
  // What makes two calls the same write.
  const { filename, content = '', fields } = call.file ?? {}
  const text = JSON.stringify([call.method, url, call.body, filename, fields], inOrder)
  const parts = [`${text}\n`, content] as Blob[]
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

/** For the service, the same members in another order are the same body. */
const inOrder = (_: string, value: unknown): unknown =>
  Object(value) === value && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

export const checkHeader = (name: string, value: unknown = ''): void => {
  // The error of the runtime would show the secret, and look like a lost connection.
  if (/[^!-~]/.test(String(value)))
    throw new TypeError(`\`${name}\` takes visible ASCII characters only.`)
}

export const headersOf = (options: ChangeOptions, key: string | undefined) => {
  const { dryRun, ifMatch } = options
  checkHeader('idempotencyKey', key)
  checkHeader('ifMatch', ifMatch)
  return {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(dryRun === true ? { 'svc-dry-run': 'true' } : {}),
    ...(ifMatch === undefined ? {} : { 'if-match': etagOf(ifMatch) }),
  }
}

const etagOf = (revision: number | string): string =>
  typeof revision === 'string' && revision.startsWith('"') ? revision : `"${revision}"`
