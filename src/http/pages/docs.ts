/**
 * What is served beside the operations: the docs, and the specification document as YAML. Pages are
 * public, counted per address like public operations, made once per deployment, and answered with
 * 304 to whoever has them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../../config.ts'
import { matchesWeakly } from '../../core/etag.ts'
import { docsOf } from '../../docs/content.ts'
import { contentSecurityPolicy, html } from '../../docs/rendering/html.ts'
import { llms } from '../../docs/rendering/llms-txt.ts'
import { markdown } from '../../docs/rendering/markdown.ts'
import { verifierFiles, verifierPath } from '../../docs/chapters/provenance.ts'
import { type Rendered, renderedOnce } from '../../docs/rendering/render-once.ts'
import { yaml } from '../../docs/openapi/yaml.ts'
import { operations } from '../../operations/index.ts'
import { newId } from '../../database/new-ids.ts'
import { openApi } from '../../docs/openapi/document.ts'
import { finish } from '../access-log.ts'
import { type Pipeline, addressOf, asRefusal } from '../pipeline.ts'
import { type Sending, send, sendRefusal } from '../respond.ts'

export interface Page {
  path: string
  /** Whatever begins so and is routed nowhere is read from this page, too. */
  below?: string
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
interface Text {
  rendered: (config: Config) => Rendered
  headers: Readonly<Record<string, string>>
}

const docsAsHtml: Text = {
  rendered: renderedOnce((config) => html(docsOf(operations, config))),
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept',
  },
}

const docsAsMarkdown: Text = {
  rendered: renderedOnce((config) => markdown(docsOf(operations, config))),
  headers: { 'Content-Type': 'text/markdown; charset=utf-8', Vary: 'Accept' },
}

const llmsText: Text = {
  rendered: renderedOnce((config) => llms(docsOf(operations, config), operations)),
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
}

const specificationAsYaml: Text = {
  rendered: renderedOnce(({ baseUrl }) => yaml(openApi(operations, baseUrl))),
  headers: { 'Content-Type': 'application/yaml; charset=utf-8' },
}

const page = (path: string, textFor: (request: IncomingMessage) => Text): Page => ({
  path,
  serve: (pipeline, request, response) =>
    answerPage(pipeline, { request, response, path }, async (sending) => {
      const { rendered, headers } = textFor(request)
      const { text, etag } = rendered(pipeline.context.config)
      const isKnown = matchesWeakly(request.headers['if-none-match'] ?? '', etag)
      send(response, sending, isKnown ? 304 : 200, text, { ...headers, ETag: etag })
    }),
})

/** Where a browser arrives that was given the address alone. */
const toDocs = (path: string): Page => ({
  path,
  serve: (pipeline, request, response) =>
    answerPage(pipeline, { request, response, path }, async (sending) => {
      const { baseUrl } = pipeline.context.config
      send(response, sending, 302, '', { Location: `${baseUrl}/v1/docs` })
    }),
})

interface Asked {
  request: IncomingMessage
  response: ServerResponse
  /** For the log: a secret in the real one is left out. */
  path: string
}

/** What every public page has in common: its caller's address is counted, its failures are told. */
export const answerPage = async (
  { context, rates }: Pipeline,
  { request, response, path }: Asked,
  serve: (sending: Sending) => Promise<void>,
): Promise<void> => {
  const startedAt = performance.now()
  const standing = rates.count('address', addressOf(request, context))
  const sending: Sending = {
    requestId: newId(),
    rate: { policy: rates.policy, standing: standing.header },
    baseUrl: context.config.baseUrl,
  }
  try {
    if (standing.refusal !== undefined) throw standing.refusal
    await serve(sending)
  } catch (error) {
    const refusal = asRefusal(error, context, sending.requestId)
    // Half an answer cannot be taken back: it breaks off, and nobody takes it for the whole.
    if (response.headersSent) response.destroy()
    else sendRefusal(response, sending, refusal)
  }
  const { statusCode: status } = response
  const operation = { id: `page ${path}` }
  finish(context, { request, path, sending, caller: undefined, startedAt, status, operation })
}

export const pages: readonly Page[] = [
  page('/v1/docs', (request) => (prefersMarkdown(request) ? docsAsMarkdown : docsAsHtml)),
  page('/v1/docs.md', () => docsAsMarkdown),
  page('/v1/openapi.yaml', () => specificationAsYaml),
  page('/llms.txt', () => llmsText),
  ...verifierFiles.map(({ name, type, content }) => {
    const rendered = renderedOnce(() => content)
    return page(verifierPath(name), () => ({ rendered, headers: { 'Content-Type': type } }))
  }),
  toDocs('/'),
  toDocs('/docs'),
  toDocs('/v1/docs/'),
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
