// The panel in which a reader makes the call of an example. Loaded when the first one is opened.
import { credentialStore } from './try-credentials.js'

/** @typedef {import('./try.d.ts').TriedCall} TriedCall */

let panels = 0

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<Record<string, string>>} attributes
 * @param {(string | Node)[]} content
 * @returns {HTMLElementTagNameMap[Name]}
 */
const element = (name, attributes = {}, ...content) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(key, value)
  }
  made.append(...content)
  return made
}

/** @param {string} label @param {HTMLElement} input */
const labelled = (label, input) => element('label', {}, element('span', {}, label), input)

const bytes = crypto.getRandomValues(new Uint8Array(6))
const run = [...bytes].map((one) => one.toString(16).padStart(2, '0')).join('')
let calls = 0

/** Each click is an intention of its own. @param {string} id */
const freshKey = (id) => `docs-${id.replaceAll('.', '-')}-${run}-${(calls += 1)}`

/** @param {TriedCall} call */
const inputsOf = ({ path, values, query, body, takesFile }) => {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const input = element('input', { value: values[name] ?? '', spellcheck: 'false' })
    return { name, input, row: labelled(name, input) }
  })
  const search = element('input', { value: query ?? '', spellcheck: 'false' })
  const file = element('input', { type: 'file' })
  const { file: _, ...fields } = body ?? {}
  const content = takesFile === true ? fields : body
  const text = content === undefined ? '' : JSON.stringify(content, null, 2)
  const area = element('textarea', { rows: '8', spellcheck: 'false' })
  area.value = text
  return { ids, search, file, area, hasBody: text !== '' && text !== '{}' }
}

/**
 * @param {TriedCall} call
 * @param {ReturnType<typeof inputsOf>} inputs
 * @param {{ credential: string | undefined, isDry: boolean }} options
 */
const send = async (call, { ids, search, file, area }, { credential, isDry }) => {
  const path = ids.reduce(
    (filled, { name, input }) =>
      filled.replace(`{${name}}`, encodeURIComponent(input.value.trim())),
    call.path,
  )
  const text = search.value.trim().replace(/^\?/, '')
  const url = new URL(`${path}${text === '' ? '' : `?${text}`}`, location.origin)
  /** @type {Record<string, string>} */
  const headers = {}
  if (credential !== undefined) headers['Authorization'] = `Bearer ${credential}`
  if (call.method !== 'GET') headers['Idempotency-Key'] = freshKey(call.id)
  if (isDry) headers['Svc-Dry-Run'] = 'true'
  const content = area.value.trim()
  /** @type {string | FormData | undefined} */
  let body
  if (call.takesFile === true) {
    body = new FormData()
    for (const [name, value] of Object.entries(JSON.parse(content || '{}'))) body.set(name, value)
    const [chosen] = file.files ?? []
    if (chosen !== undefined) body.set('file', chosen)
  } else if (call.method !== 'GET' && content !== '') {
    JSON.parse(content)
    headers['Content-Type'] = 'application/json'
    body = content
  }
  const started = performance.now()
  const response = await fetch(url, {
    method: call.method,
    headers,
    credentials: 'omit',
    redirect: 'error',
    // Another credential reads another projection of the same address, with the same ETag.
    cache: 'no-store',
    ...(body === undefined ? {} : { body }),
  })
  const shown = await bodyText(response)
  return { response, shown, ms: Math.round(performance.now() - started) }
}

/** JSON is spread over lines; bytes are only counted. @param {Response} response */
const bodyText = async (response) => {
  const type = response.headers.get('content-type') ?? ''
  if (/pdf|octet-stream/.test(type)) {
    return `${(await response.arrayBuffer()).byteLength} bytes of ${type}`
  }
  const text = await response.text()
  if (!type.includes('json')) return text
  return JSON.stringify(JSON.parse(text), null, 2)
}

/**
 * Builds the panel into its place.
 * @param {HTMLElement} place
 * @param {TriedCall} call
 */
export const openPanel = (place, call) => {
  const store = credentialStore()
  const inputs = inputsOf(call)
  const { ids, search, file, area, hasBody } = inputs
  const isWrite = call.method !== 'GET'
  const number = (panels += 1)
  const chooser = call.credential === undefined ? undefined : store.chooser(call.credential, number)
  const dry = element('input', { type: 'checkbox' })
  const button = element('button', { type: 'button', class: 'send' }, 'Send')
  const status = element('p', { class: 'status', role: 'status' })
  const output = element('pre', { tabindex: '0', 'aria-label': 'Response', class: 'language-json' })
  output.hidden = true

  const attempt = async () => {
    const credential = chooser?.credential()
    if (chooser !== undefined && credential === undefined) {
      status.textContent = 'Paste a practice key first.'
      chooser.focus()
      return
    }
    status.textContent = 'Sending …'
    button.disabled = true
    try {
      const { response, shown, ms } = await send(call, inputs, { credential, isDry: dry.checked })
      const request = response.headers.get('request-id')
      status.textContent = `${response.status} in ${ms} ms${request === null ? '' : ` · ${request}`}`
      status.classList.toggle('refused', !response.ok)
      output.textContent = shown
      output.hidden = false
    } catch (error) {
      const isSyntax = error instanceof SyntaxError
      status.textContent = isSyntax ? `The body is not JSON: ${error.message}` : 'No answer came.'
      status.classList.add('refused')
    } finally {
      button.disabled = false
    }
  }
  button.addEventListener('click', () => void attempt())
  const panel = element(
    'div',
    { class: 'panel', role: 'group', 'aria-label': `Try ${call.method} ${call.path}` },
    ...(chooser === undefined ? [] : [chooser.panel]),
    ...ids.map(({ row }) => row),
    ...(call.query === undefined ? [] : [labelled('Query', search)]),
    ...(call.takesFile === true ? [labelled('File', file)] : []),
    ...(isWrite && (hasBody || call.takesFile !== true) ? [labelled('Body', area)] : []),
    ...(isWrite
      ? [element('label', { class: 'check' }, dry, 'Dry run: check everything, change nothing')]
      : []),
    element('div', { class: 'actions' }, button, status),
    output,
  )
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void attempt()
  })
  store.onConnection((connection) => {
    area.value = area.value.replace(
      /"connection_id": "con_\w+"/,
      `"connection_id": "${connection}"`,
    )
    for (const { name, input } of ids) {
      if (name === 'id' && call.path.startsWith('/v1/connections/')) input.value = connection
    }
  })
  place.append(panel)
  const fields = /** @type {NodeListOf<HTMLElement>} */ (
    panel.querySelectorAll('input, select, textarea, .send')
  )
  ;[...fields].find((one) => one.offsetParent !== null)?.focus()
}
