/**
 * What is served beside the operations: the docs, and the specification document as YAML. Pages are
 * public, counted per address like public operations, made once per deployment, and answered with
 * 304 to whoever has them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../../config.ts'
import { matchesWeakly } from '../../core/etag.ts'
import { docsOf } from '../../docs/table-of-contents.ts'
import { contentSecurityPolicy, renderHtml } from '../../docs/rendering/html.ts'
import { renderLlmsTxt } from '../../docs/rendering/llms-txt.ts'
import { renderMarkdown } from '../../docs/rendering/markdown.ts'
import { verifierFiles, verifierPath } from '../../docs/chapters/provenance.ts'
import { type Rendered, renderOnce } from '../../docs/rendering/render-once.ts'
import { toYaml } from '../../docs/openapi/yaml.ts'
import { operations } from '../../operations/index.ts'
import { newId } from '../../database/new-ids.ts'
import { openApiDocument } from '../../docs/openapi/openapi-document.ts'
import { recordRequest } from '../access-log.ts'
import { type Pipeline, clientAddress, asRefusal } from '../pipeline.ts'
import { type ResponseContext, send, sendRefusal } from '../respond.ts'

export interface Page {
  path: string
  /** Whatever begins so and is routed nowhere is read from this page, too. */
  pathPrefix?: string
  /** GET and HEAD when absent. */
  method?: 'POST'
  serve(
    pipeline: Pipeline,
    request: IncomingMessage,
    response: ServerResponse,
    params: Readonly<Record<string, string>>,
  ): Promise<void>
}

/** A text that is the same for everyone, and the headers it goes out with. */
interface StaticText {
  rendered: (config: Config) => Rendered
  headers: Readonly<Record<string, string>>
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

const textPage = (path: string, textFor: (request: IncomingMessage) => StaticText): Page => ({
  path,
  serve: (pipeline, request, response) =>
    servePage(pipeline, { request, response, path }, async (responseContext) => {
      const { rendered, headers } = textFor(request)
      const { text, etag } = rendered(pipeline.context.config)
      const isKnown = matchesWeakly(request.headers['if-none-match'] ?? '', etag)
      send(response, responseContext, isKnown ? 304 : 200, text, { ...headers, ETag: etag })
    }),
})

/** Where a browser arrives that was given the address alone. */
const redirectToDocs = (path: string): Page => ({
  path,
  serve: (pipeline, request, response) =>
    servePage(pipeline, { request, response, path }, async (responseContext) => {
      const { baseUrl } = pipeline.context.config
      send(response, responseContext, 302, '', { Location: `${baseUrl}/v1/docs` })
    }),
})

interface PageRequest {
  request: IncomingMessage
  response: ServerResponse
  /** For the log: a secret in the real one is left out. */
  path: string
}

/** What every public page has in common: its caller's address is counted, its failures are told. */
export const servePage = async (
  { context, rateLimits }: Pipeline,
  { request, response, path }: PageRequest,
  serve: (sending: ResponseContext) => Promise<void>,
): Promise<void> => {
  const startedAt = performance.now()
  const rateLimitStatus = rateLimits.count('address', clientAddress(request, context))
  const responseContext: ResponseContext = {
    requestId: newId(),
    rateLimit: { policyHeader: rateLimits.policyHeader, statusHeader: rateLimitStatus.header },
    baseUrl: context.config.baseUrl,
  }
  try {
    if (rateLimitStatus.refusal !== undefined) throw rateLimitStatus.refusal
    await serve(responseContext)
  } catch (error) {
    const refusal = asRefusal(error, context, responseContext.requestId)
    // Half an answer cannot be taken back: it breaks off, and nobody takes it for the whole.
    if (response.headersSent) response.destroy()
    else sendRefusal(response, responseContext, refusal)
  }
  const { statusCode: status } = response
  const operation = { id: `page ${path}` }
  recordRequest(context, {
    request,
    path,
    responseContext,
    caller: undefined,
    startedAt,
    status,
    operation,
  })
}

export const docsPages: readonly Page[] = [
  textPage('/v1/docs', (request) => (prefersMarkdown(request) ? docsAsMarkdown : docsAsHtml)),
  textPage('/v1/docs.md', () => docsAsMarkdown),
  textPage('/v1/openapi.yaml', () => specificationAsYaml),
  textPage('/llms.txt', () => llmsText),
  ...verifierFiles.map(({ name, type, content }) => {
    const rendered = renderOnce(() => content)
    return textPage(verifierPath(name), () => ({ rendered, headers: { 'Content-Type': type } }))
  }),
  redirectToDocs('/'),
  redirectToDocs('/docs'),
  redirectToDocs('/v1/docs/'),
]

/** Markdown only for who asks for it by name, and not less than for HTML. */
const prefersMarkdown = ({ headers }: IncomingMessage): boolean => {
  const quality = (type: string): number => {
    const entry = (headers.accept ?? '')
      .split(',')
      .map((one) => one.trim().toLowerCase())
      .find((one) => one.split(';')[0]?.trim() === type)
    if (entry === undefined) return 0
    return Number(/;\s*q=([\d.]+)/.exec(entry)?.[1] ?? 1)
  }
  const markdownQuality = quality('text/markdown')
  return markdownQuality > 0 && markdownQuality >= quality('text/html')
}
