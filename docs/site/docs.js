// Search, copy buttons, colours, the language of examples, and opening what tries them. The pages work without it.
import { find } from './search.js'

const root = document.documentElement

/** @typedef {import('./search.d.ts').Entry} Entry */

/** @type {Promise<Entry[]> | undefined} */
let index
/** @returns {Promise<Entry[]>} */
const loadIndex = () => (index ??= fetch(root.dataset['search'] ?? '').then((one) => one.json()))

const input = /** @type {HTMLInputElement} */ (document.querySelector('search input'))
const list = /** @type {HTMLElement} */ (document.querySelector('#found'))
let selected = 0

const close = () => {
  list.hidden = true
  input.setAttribute('aria-expanded', 'false')
  input.removeAttribute('aria-activedescendant')
}

/** @param {number} at */
const select = (at) => {
  const items = list.querySelectorAll('[role=option]')
  if (items.length === 0) return
  selected = (at + items.length) % items.length
  items.forEach((item, i) => item.setAttribute('aria-selected', String(i === selected)))
  items[selected]?.scrollIntoView({ block: 'nearest' })
  input.setAttribute('aria-activedescendant', `found-${selected}`)
}

/**
 * @param {string} name
 * @param {string} text
 */
const element = (name, text) => {
  const made = document.createElement(name)
  made.textContent = text
  return made
}

const show = async () => {
  const entries = await loadIndex()
  const found = find(entries, input.value)
  if (input.value.trim() === '') return close()
  const items = found.map(({ title, page, address, excerpt }, i) => {
    const link = document.createElement('a')
    link.href = address
    link.tabIndex = -1
    link.append(element('strong', page === '' ? title : `${page} › ${title}`))
    link.append(element('span', excerpt))
    const item = document.createElement('li')
    item.id = `found-${i}`
    item.role = 'option'
    item.append(link)
    return item
  })
  const nothing = element('li', 'Nothing found.')
  nothing.className = 'nothing'
  list.replaceChildren(...(items.length === 0 ? [nothing] : items))
  list.hidden = false
  input.setAttribute('aria-expanded', 'true')
  select(0)
}

input.addEventListener('focus', () => void loadIndex())
input.addEventListener('input', () => void show())
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    select(selected + (event.key === 'ArrowDown' ? 1 : -1))
  } else if (event.key === 'Enter') {
    const links = list.querySelectorAll('a')
    if (!list.hidden) links[selected]?.click()
    close()
  } else if (event.key === 'Escape') {
    close()
    input.blur()
  }
})
document.addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  input.focus()
})
document.addEventListener('click', (event) => {
  if (event.target instanceof Node && !input.parentElement?.contains(event.target)) close()
})

for (const pre of document.querySelectorAll('pre')) {
  const button = element('button', 'Copy')
  button.className = 'copy'
  const copy = async () => {
    await navigator.clipboard.writeText(pre.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  }
  button.addEventListener('click', () => void copy())
  const block = document.createElement('div')
  block.className = 'block'
  pre.replaceWith(block)
  block.append(pre, button)
}

const choices = /** @type {NodeListOf<HTMLInputElement>} */ (
  document.querySelectorAll('.choices input')
)

/** @param {string | null} language */
const chooseLanguage = (language) => {
  for (const one of choices) if (one.value === language) one.checked = true
}

chooseLanguage(localStorage.getItem('language'))
for (const one of choices) {
  one.addEventListener('change', () => {
    const { top } = one.getBoundingClientRect()
    localStorage.setItem('language', one.value)
    chooseLanguage(one.value)
    // Other examples above this one may have become longer or shorter.
    scrollBy(0, one.getBoundingClientRect().top - top)
  })
}

/** What makes the call is loaded when it is wanted. */
for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.try'))) {
  const button = element('button', 'Try it')
  button.setAttribute('aria-expanded', 'false')
  const open = async () => {
    const panel = /** @type {HTMLElement | null} */ (place.querySelector('.panel'))
    const isOpen = panel !== null && !panel.hidden
    button.setAttribute('aria-expanded', String(!isOpen))
    if (panel !== null) panel.hidden = isOpen
    else (await import('./try.js')).openPanel(place, JSON.parse(place.dataset['call'] ?? '{}'))
  }
  button.addEventListener('click', () => void open())
  place.append(button)
}

document.querySelector('.theme')?.addEventListener('click', () => {
  const isDark = getComputedStyle(root).colorScheme === 'dark'
  const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches
  const wasDark = root.dataset['theme'] === undefined ? prefersDark : isDark
  root.dataset['theme'] = wasDark ? 'light' : 'dark'
  localStorage.setItem('theme', root.dataset['theme'])
})

document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' })
const menu = /** @type {HTMLElement | null} */ (document.querySelector('#contents'))
menu?.addEventListener('click', (event) => {
  if (event.target instanceof HTMLAnchorElement && menu.matches(':popover-open')) menu.hidePopover()
})

/** Marks the section that is read, in both lists of sections. */
const sectionLinks = document.querySelectorAll('nav ul ul a, .on-this-page a')
const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      for (const link of sectionLinks) {
        link.classList.toggle('seen', link.getAttribute('href') === `#${target.id}`)
      }
    }
  },
  { rootMargin: '-15% 0px -75% 0px' },
)
for (const link of sectionLinks) {
  const section = document.getElementById((link.getAttribute('href') ?? '').slice(1))
  if (section !== null) seen.observe(section)
}

/** Until there were pages, every section was on /v1/docs: links to that lead on. */
const fragment = decodeURIComponent(location.hash.slice(1))
if (fragment !== '' && document.getElementById(fragment) === null) {
  const ends = [`#${fragment}`, `/${fragment}`]
  const moved = (await loadIndex()).find(({ address }) => ends.some((end) => address.endsWith(end)))
  if (moved !== undefined) location.replace(moved.address)
}
