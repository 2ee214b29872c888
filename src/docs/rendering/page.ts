/** Renders a page of the docs: header, navigation, sections, and the pages before and after it. */
import { addressesOf, docsPath, pagePath } from '../addresses.ts'
import { type Docs, type PageGroup, type Section, pagesOf } from '../blocks.ts'
import { escaped } from '../../core/html-text.ts'
import { type LinkResolver, blocksHtml, inlineHtml, sectionHtml } from './html.ts'

/** Scripts, styles and requests of the pages stay on their host, and nothing runs inline. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `assets` is the path of the folder of stylesheet and scripts. */
export const frontPageHtml = (docs: Docs, assets: string): string => {
  const resolve = resolverOf(docs)
  const content = `<h1>${escaped(docs.title)}</h1>
<p class="summary">${inlineHtml(docs.summary, resolve)}</p>
${[...docs.front, ...docs.anchors].map((section) => sectionHtml(section, 2, resolve)).join('\n')}`
  return pageHtml(docs, { assets, content, title: docs.title, path: docsPath, kind: 'front' })
}

export const docsPageHtml = (docs: Docs, page: Section, assets: string): string => {
  const resolve = resolverOf(docs, page)
  const { id, title, blocks, sections = [] } = page
  const isSplit = sections.some(({ aside }) => aside !== undefined)
  const content = `<p class="crumb">${escaped(groupOf(docs, page))}</p>
<section id="${escaped(id)}"><h1>${inlineHtml(title, resolve)}</h1>
${blocksHtml(blocks, resolve, id)}
${sections.map((section) => sectionHtml(section, 2, resolve)).join('\n')}</section>
${neighbours(docs, page, resolve)}`
  return pageHtml(docs, {
    assets,
    content: isSplit || sections.length < 2 ? content : `${content}\n${onThisPage(sections)}`,
    title: `${title} – ${docs.title}`,
    path: pagePath(id),
    kind: isSplit ? 'split-page' : 'guide',
    page,
  })
}

/** On the page itself a link needs the fragment alone. */
const resolverOf = (docs: Docs, page?: Section): LinkResolver => {
  const addresses = addressesOf(docs)
  const own = page === undefined ? undefined : `${pagePath(page.id)}#`
  return (target) => {
    if (!target.startsWith('#')) return target
    const address = addresses.get(target.slice(1))
    if (address === undefined || (own !== undefined && address.startsWith(own))) return target
    return address
  }
}

interface PageContent {
  assets: string
  content: string
  title: string
  path: string
  /** How it is laid out. */
  kind: 'front' | 'guide' | 'split-page'
  page?: Section
}

const pageHtml = (docs: Docs, { assets, content, title, path, kind, page }: PageContent) => {
  const files = escaped(assets)
  return `<!doctype html>
<html lang="en" data-search="${files}/search.json">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(docs.summary)}">
<meta name="color-scheme" content="light dark">
<link rel="canonical" href="${escaped(`${docs.baseUrl}${path}`)}">
<link rel="alternate" type="text/markdown" href="${path}.md">
<link rel="service-desc" type="application/json" href="/v1/openapi.json">
<link rel="icon" href="${files}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${files}/docs.css">
<script src="${files}/theme.js"></script>
<script type="module" src="${files}/docs.js"></script>
</head>
<body class="${kind}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<button class="menu" popovertarget="contents" aria-label="Contents"></button>
<a class="product" href="${docsPath}">${escaped(docs.title)} <span class="version">${escaped(docs.version)}</span></a>
<search><input type="search" placeholder="Search the docs" aria-label="Search the docs" role="combobox" aria-expanded="false" aria-controls="found" autocomplete="off" spellcheck="false"><kbd>/</kbd><ol id="found" role="listbox" aria-label="Search results" hidden></ol></search>
<p class="formats"><a href="${path}.md">Markdown</a> <a href="/v1/openapi.json">OpenAPI</a> <a href="/llms.txt">llms.txt</a></p>
<button class="theme" aria-label="Dark or light"></button>
</header>
<nav id="contents" popover aria-label="Contents">
${docs.groups.map((group) => navigationGroup(group, page)).join('\n')}
</nav>
<main id="content">
${content}
</main>
</body>
</html>
`
}

const navigationGroup = ({ title, pages }: PageGroup, shown: Section | undefined): string => {
  const items = pages.map((one) => navigationItem(one, shown))
  return `<h2>${escaped(title)}</h2>\n<ul>${items.join('\n')}</ul>`
}

/** The page that is shown lists its sections. */
const navigationItem = (one: Section, shown: Section | undefined): string => {
  const isShown = one.id === shown?.id
  const current = isShown ? ' aria-current="page"' : ''
  const link = `<a href="${pagePath(escaped(one.id))}"${current}>${escaped(one.title)}</a>`
  const sections = isShown ? (one.sections ?? []) : []
  return `<li>${link}${sections.length === 0 ? '' : sectionLinks(sections)}</li>`
}

const sectionLinks = (sections: readonly Section[]): string =>
  `<ul>${sections
    .map(
      ({ id, title }) => `<li><a href="#${escaped(id)}">${inlineHtml(title, plainLinks)}</a></li>`,
    )
    .join('')}</ul>`

const plainLinks: LinkResolver = (target) => target

const onThisPage = (sections: readonly Section[]): string =>
  `<aside class="on-this-page" aria-label="On this page"><h2>On this page</h2>${sectionLinks(sections)}</aside>`

const groupOf = ({ groups }: Docs, page: Section): string =>
  groups.find(({ pages }) => pages.includes(page))?.title ?? ''

const neighbours = (docs: Docs, page: Section, resolve: LinkResolver): string => {
  const pages = pagesOf(docs)
  const at = pages.indexOf(page)
  const link = (other: Section | undefined, relation: string, label: string) =>
    other === undefined
      ? ''
      : `<a rel="${relation}" href="${escaped(resolve(`#${other.id}`))}"><span>${label}</span>${escaped(other.title)}</a>`
  return `<footer>${link(pages[at - 1], 'prev', 'Before')}${link(pages[at + 1], 'next', 'Next')}</footer>`
}
