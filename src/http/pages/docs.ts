/**
 * The docs and the specification: rendered once per deployment, answered with 304 when unchanged.
 */
import type { IncomingMessage } from 'node:http'
import Negotiator from 'negotiator'
import type { Config } from '../../config.ts'
import { refuse } from '../../contract/errors.ts'
import { docsOf } from '../../docs/table-of-contents.ts'
import { renderLlmsTxt } from '../../docs/rendering/llms-txt.ts'
import { type SiteText, siteOf } from '../../docs/rendering/site.ts'
import { journeyFiles } from '../../docs/chapters/journeys.ts'
import { verifierFiles, verifierPath } from '../../docs/chapters/provenance.ts'
import { type Rendered, oncePerDeployment, renderOnce } from '../../docs/rendering/render-once.ts'
import { toYaml } from '../../docs/openapi/yaml.ts'
import { operations } from '../../operations/index.ts'
import { openApiDocument } from '../../docs/openapi/openapi-document.ts'
import { send, sendText } from '../respond.ts'
import { type Page, publicPage } from './page.ts'

/** A text that is the same for every reader, with its headers. */
interface StaticText {
  rendered: (config: Config) => Rendered
  headers: SiteText['headers']
}

const docs = oncePerDeployment((config) => docsOf(operations, config))
const site = oncePerDeployment((config) => siteOf(docs(config)))

const llmsText: StaticText = {
  rendered: renderOnce((config) => renderLlmsTxt(docs(config), operations)),
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
}

const yamlHeaders = { 'Content-Type': 'application/yaml; charset=utf-8' }

const specificationAsYaml: StaticText = {
  rendered: renderOnce(({ baseUrl }) => toYaml(openApiDocument(operations, baseUrl))),
  headers: yamlHeaders,
}

const textPage = (path: string, { rendered, headers }: StaticText): Page =>
  publicPage(path, (exchange) => {
    sendText(exchange, rendered(exchange.pipeline.context.config), headers)
  })

/** A page of the docs, or a file that the pages load. A client may prefer Markdown. */
const docsPage = (path: string): Page =>
  publicPage(path, (exchange) => {
    const { request, pipeline } = exchange
    const texts = site(pipeline.context.config)
    const [asked = ''] = (request.url ?? '').split('?')
    const html = texts.get(asked)
    if (html === undefined) throw noSuchPage(asked)
    const markdown = texts.get(`${asked}.md`)
    const text = markdown !== undefined && prefersMarkdown(request) ? markdown : html
    sendText(exchange, text, text.headers)
  })

const noSuchPage = (path: string) =>
  refuse('not_found', `There is no page ${path}. GET /v1/docs lists them.`, {
    resource: 'page',
    id: path,
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

/** Addresses that are near to those of the docs, or usual elsewhere. */
const redirectToDocs = (path: string, targetOf = (_page: string) => '/v1/docs'): Page =>
  publicPage(path, (exchange, { page = '' }) => {
    const { baseUrl } = exchange.pipeline.context.config
    send(exchange, 302, '', { Location: `${baseUrl}${targetOf(encodeURIComponent(page))}` })
  })

export const docsPages: readonly Page[] = [
  docsPage('/v1/docs'),
  docsPage('/v1/docs.md'),
  docsPage('/v1/docs/{page}'),
  docsPage('/v1/docs/assets/{hash}/{file}'),
  textPage('/v1/openapi.yaml', specificationAsYaml),
  textPage('/llms.txt', llmsText),
  ...verifierFiles.map(({ name, type, content }) => {
    const rendered = renderOnce(() => content)
    return textPage(verifierPath(name), { rendered, headers: { 'Content-Type': type } })
  }),
  ...journeyFiles.map(({ path, contentFor }) =>
    textPage(path, { rendered: renderOnce(contentFor), headers: yamlHeaders }),
  ),
  startPage,
  redirectToDocs('/docs'),
  redirectToDocs('/v1/docs/'),
  redirectToDocs('/v1/docs/{page}/', (page) => `/v1/docs/${page}`),
  redirectToDocs('/llms-full.txt', () => '/v1/docs.md'),
]

const htmlType = 'text/html; charset=utf-8'
const markdownType = 'text/markdown; charset=utf-8'

/** HTML when the client accepts both equally. */
const prefersMarkdown = (request: IncomingMessage): boolean =>
  new Negotiator(request).mediaType([htmlType, markdownType]) === markdownType
