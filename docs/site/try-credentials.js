// Whose call it is. A practice key stays in this tab until it is forgotten; a live one is refused.

/** @typedef {{ label: string, credential: string, isKey: boolean }} Known */

const storageName = 'docs-credentials'
const practice = /^r[ks]_test_[\w-]{20,}$/
const live = /^r[ks]_live_/

/** The credentials of this tab. @type {Known[]} */
let known = []
/** @type {string | undefined} */
let connection
/** @type {Set<() => void>} */
const listeners = new Set()
/** @type {Set<(connection: string) => void>} */
const connectionListeners = new Set()

const restore = () => {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageName) ?? '{}')
    known = (stored.known ?? []).filter(({ credential = '' }) => practice.test(credential))
    connection = stored.connection
  } catch {
    known = []
  }
}
restore()

/** The token of a session is not written down: the console gets another. */
const keep = () => {
  const stored = known.filter(({ label }) => label !== consoleLabel)
  if (stored.length === 0) sessionStorage.removeItem(storageName)
  else sessionStorage.setItem(storageName, JSON.stringify({ known: stored, connection }))
  for (const listener of listeners) listener()
  if (connection !== undefined) for (const listener of connectionListeners) listener(connection)
}

const consoleLabel = 'Your console session'

/** The credentials in a pasted key, or in sandbox.json. @param {string} text @returns {Known[] | string} */
const credentialsIn = (text) => {
  const given = text.trim()
  if (live.test(given)) return refusal
  if (practice.test(given)) {
    const isKey = given.startsWith('rk_')
    return [
      {
        label: `Pasted ${isKey ? 'key' : 'session'} …${given.slice(-4)}`,
        credential: given,
        isKey,
      },
    ]
  }
  try {
    const { organization, demo, connection_id } = JSON.parse(given)
    connection = String(connection_id)
    return [
      { label: 'Your key', credential: organization.api_key, isKey: true },
      { label: 'Your admin session', credential: organization.admin_session_token, isKey: false },
      { label: 'Key of the demo counterparty', credential: demo.api_key, isKey: true },
      { label: 'Its admin session', credential: demo.admin_session_token, isKey: false },
    ].filter(({ credential }) => practice.test(credential))
  } catch {
    return 'That is neither a practice key (rk_test_…, rs_test_…) nor sandbox.json.'
  }
}

const refusal =
  'That is a live credential. Nothing here takes one, and it was neither kept nor sent: use a practice key.'

/** What the console remembers of a sign-in in this browser. */
const signedInKey = 'signed-in'

/** Tabs of the console take turns with the same lock, since the cookie works once. */
const consoleToken = async () => {
  const ask = async () => {
    const response = await fetch('/auth/sessions/refresh', { method: 'POST' })
    return response.ok ? (await response.json()).token : undefined
  }
  return 'locks' in navigator ? await navigator.locks.request('session', ask) : ask()
}

/** @param {'key' | 'session'} wanted */
const preferred = (wanted) => known.find(({ isKey }) => isKey === (wanted === 'key')) ?? known[0]

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {(string | Node)[]} content
 */
const element = (name, attributes, ...content) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...content)
  return made
}

/** @param {'key' | 'session'} wanted @param {number} number */
const chooser = (wanted, number) => {
  const select = /** @type {HTMLSelectElement} */ (element('select', {}))
  const input = /** @type {HTMLInputElement} */ (
    element('input', {
      type: 'password',
      autocomplete: 'off',
      'aria-describedby': `keys-${number}`,
    })
  )
  const file = /** @type {HTMLInputElement} */ (
    element('input', { type: 'file', accept: '.json,application/json' })
  )
  const forget = element('button', { type: 'button' }, 'Forget')
  const message = element('p', { class: 'hint', id: `keys-${number}`, role: 'status' })
  const useConsole = element('button', { type: 'button' }, 'Use my console session')
  const hint =
    wanted === 'session'
      ? 'This call is for people: paste a session token (rs_test_…). It stays in this tab.'
      : 'Paste a key (rk_test_…). It stays in this tab.'

  const show = () => {
    const chosen = select.value
    select.replaceChildren(...known.map(({ label }) => new Option(label, label)))
    const isThere = known.some(({ label }) => label === chosen)
    select.value = (isThere ? chosen : preferred(wanted)?.label) ?? ''
    acting.hidden = known.length === 0
    asking.hidden = known.length > 0
  }
  /** @param {string} text */
  const take = (text) => {
    if (text.trim() === '') return
    const found = credentialsIn(text)
    input.value = ''
    if (typeof found === 'string') {
      message.textContent = found
      message.classList.add('refused')
      return
    }
    message.classList.remove('refused')
    message.textContent = hint
    known = found
    keep()
    select.focus()
  }
  input.addEventListener('change', () => take(input.value))
  input.addEventListener('paste', (event) => {
    event.preventDefault()
    take(event.clipboardData?.getData('text') ?? '')
  })
  file.addEventListener('change', () => void file.files?.[0]?.text().then(take))
  forget.addEventListener('click', () => {
    known = []
    connection = undefined
    keep()
    input.focus()
  })
  const takeConsole = async () => {
    const token = await consoleToken()
    if (token === undefined) {
      message.textContent = 'No console session is open: sign in first.'
    } else if (practice.test(token)) {
      known = [{ label: consoleLabel, credential: token, isKey: false }]
      keep()
      select.focus()
    } else message.textContent = refusal
  }
  useConsole.addEventListener('click', () => void takeConsole())
  const acting = element(
    'div',
    { class: 'actions' },
    element('label', {}, element('span', {}, 'Act with'), select),
    forget,
  )
  const asking = element(
    'div',
    { class: 'asking' },
    element('label', {}, element('span', {}, 'Practice key'), input),
    element('label', {}, element('span', {}, 'or sandbox.json'), file),
    ...(localStorage.getItem(signedInKey) === null ? [] : [useConsole]),
    message,
  )
  message.textContent = hint
  listeners.add(show)
  show()
  return {
    panel: element('div', { class: 'credential' }, acting, asking),
    credential: () => known.find(({ label }) => label === select.value)?.credential,
    focus: () => input.focus(),
  }
}

export const credentialStore = () => ({
  chooser,
  /** @param {(connection: string) => void} listener */
  onConnection: (listener) => {
    connectionListeners.add(listener)
    if (connection !== undefined) listener(connection)
  },
})
