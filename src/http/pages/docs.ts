/**
 * The docs and the specification: rendered once per deployment, answered with 304 when unchanged.
 */
import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'
import type { Config } from '../../config.ts'
import { docsOf } from '../../docs/table-of-contents.ts'
import { contentSecurityPolicy, renderHtml } from '../../docs/rendering/html.ts'
import { renderLlmsTxt } from '../../docs/rendering/llms-txt.ts'
import { renderMarkdown } from '../../docs/rendering/markdown.ts'
import { verifierFiles, verifierPath } from '../../docs/chapters/provenance.ts'
import { type Rendered, renderOnce } from '../../docs/rendering/render-once.ts'
import { toYaml } from '../../docs/openapi/yaml.ts'
import { operations } from '../../operations/index.ts'
import { openApiDocument } from '../../docs/openapi/openapi-document.ts'
import { send, sendText } from '../respond.ts'
import { type Page, publicPage } from './page.ts'

/** A text that is the same for every reader, with its headers. */
interface StaticText {
  rendered: (config: Config) => Rendered
  headers: Readonly<Record<string, string> & { 'Content-Type': string }>
}

const docsAsHtml: StaticText = {
  rendered: renderOnce((config) => renderHtml(docsOf(operations, config))),
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept',
  },
}

const docsAsMarkdown: StaticText = {
  rendered: renderOnce((config) => renderMarkdown(docsOf(operations, config))),
  headers: { 'Content-Type': 'text/markdown; charset=utf-8', Vary: 'Accept' },
}

const llmsText: StaticText = {
  rendered: renderOnce((config) => renderLlmsTxt(docsOf(operations, config), operations)),
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
}

const specificationAsYaml: StaticText = {
  rendered: renderOnce(({ baseUrl }) => toYaml(openApiDocument(operations, baseUrl))),
  headers: { 'Content-Type': 'application/yaml; charset=utf-8' },
}

const textPage = (path: string, textFor: (request: IncomingMessage) => StaticText): Page =>
  publicPage(path, (exchange) => {
    const { request, pipeline } = exchange
    const { rendered, headers } = textFor(request)
    sendText(exchange, rendered(pipeline.context.config), headers)
  })

/** The bare address: a browser gets the docs, a program is told where things are. */
const startPage = publicPage('/', (exchange) => {
  const { baseUrl } = exchange.pipeline.context.config
  const location = `${baseUrl}/v1/docs`
  const prefersHtml = new Negotiator(exchange.request).mediaType(['application/json', 'text/html'])
  const headers = { Vary: 'Accept' }
  if (prefersHtml === 'text/html') {
    send(exchange, 302, '', { ...headers, Location: location })
    return
  }
  const places = {
    api: `${baseUrl}/v1`,
    docs: location,
    openapi: `${baseUrl}/v1/openapi.json`,
    llms: `${baseUrl}/llms.txt`,
    mcp: `${baseUrl}/mcp`,
    sign_in: `${baseUrl}/auth/sessions`,
    enablement: `${baseUrl}/v1/enablement`,
  }
  send(exchange, 200, JSON.stringify(places), headers)
})

/** For a browser that was given the address of the console, which does not exist, or a near one. */
const redirectToDocs = (path: string): Page =>
  publicPage(path, (exchange) => {
    const { baseUrl } = exchange.pipeline.context.config
    send(exchange, 302, '', { Location: `${baseUrl}/v1/docs` })
  })

export const docsPages: readonly Page[] = [
  textPage('/v1/docs', (request) => (prefersMarkdown(request) ? docsAsMarkdown : docsAsHtml)),
  textPage('/v1/docs.md', () => docsAsMarkdown),
  textPage('/v1/openapi.yaml', () => specificationAsYaml),
  textPage('/llms.txt', () => llmsText),
  ...verifierFiles.map(({ name, type, content }) => {
    const rendered = renderOnce(() => content)
    return textPage(verifierPath(name), () => ({ rendered, headers: { 'Content-Type': type } }))
  }),
  startPage,
  redirectToDocs('/docs'),
  redirectToDocs('/v1/docs/'),
]

/** HTML when the client accepts both equally. */
const prefersMarkdown = (request: IncomingMessage): boolean => {
  const types = [docsAsHtml, docsAsMarkdown].map(({ headers }) => headers['Content-Type'])
  return new Negotiator(request).mediaType(types) === docsAsMarkdown.headers['Content-Type']
}
