/**
 * The HTTP server: routes from the operations, limits and timeouts tighter than Node's. Fastify
 * routes and manages connections; everything that has an order is in pipeline.ts.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { newId } from '../database/new-ids.ts'
import type { Operation } from '../operations/operation.ts'
import { serveInOrder } from './request-ordering.ts'
import { type Pipeline, handleRequest } from './pipeline.ts'
import type { Page } from './pages/docs.ts'
import { sendRefusal } from './respond.ts'
import { type Route, routeOf } from './route.ts'

export const buildServer = (
  pipeline: Pipeline,
  operations: readonly Operation[],
  pages: readonly Page[],
): FastifyInstance => {
  const { context } = pipeline
  const unrouted = unroutedHandler(pipeline, pages)
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // A call that comes on an open connection while we drain is answered like any other.
    return503OnClosing: false,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    maxRequestsPerSocket: limits.requestsPerSocketMax,
    http: {
      maxHeaderSize: limits.headerMaxBytes,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.connectionsCheckEveryMs,
      noDelay: true,
      // Refused by the pipeline instead, with the envelope.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    routerOptions: { maxParamLength: limits.headerMaxBytes, ignoreTrailingSlash: false },
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      void unrouted(request.raw, reply.raw, [])
    },
    clientErrorHandler: (_error, socket) => refuseMalformed(pipeline, socket),
  })
  server.server.maxHeadersCount = limits.headersMaxCount
  server.server.maxConnections = limits.connectionsMax

  // All answers start here, before Fastify looks at media types: the pipeline does, in its turn.
  const patterns = methodsByPattern(operations, pages)
  server.addHook('onRequest', async (request, reply) => {
    reply.hijack()
    if (context.lifecycle() === 'draining') reply.raw.shouldKeepAlive = false
    const { serve } = request.routeOptions.config as { serve?: RouteHandler }
    if (serve !== undefined) return serveInOrder(request.raw, () => serve(request, reply))
    const path = pathOf(request.raw)
    const allowedMethods = patterns.find(({ pattern }) => pattern.test(path))?.methods ?? []
    await unrouted(request.raw, reply.raw, allowedMethods)
  })
  const add = (method: string, url: string, serve: RouteHandler) =>
    server.route({ method, url, config: { serve } as object, handler: () => undefined })
  for (const operation of operations) {
    const route = routeOf(operation)
    for (const method of methodsOf(operation)) {
      add(method, routerPath(operation.path), (request, reply) => {
        const params = request.params as Record<string, string>
        return handleRequest(pipeline, request.raw, reply.raw, {
          route,
          params,
          allowedMethods: [],
        })
      })
    }
  }
  for (const page of pages) {
    for (const method of methodsOfPage(page)) {
      add(method, routerPath(page.path), (request, reply) =>
        page.serve(pipeline, request.raw, reply.raw, request.params as Record<string, string>),
      )
    }
  }
  server.server.on('checkExpectation', (request, response) => {
    void handleRequest(pipeline, request, response, noRoute)
  })
  server.setErrorHandler((error, request, reply) => {
    context.log.error('server_error', error, { path: request.url })
    reply.hijack()
    if (!reply.raw.headersSent) void handleRequest(pipeline, request.raw, reply.raw, noRoute)
  })
  return server
}

/** `/v1/documents/{id}` in the router's words. */
const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Whoever looks whether a public page is there may ask for its headers alone. */
const readMethods = ['GET', 'HEAD']

const methodsOf = ({ method, allowed }: Operation): readonly string[] =>
  method === 'GET' && allowed === 'public' ? readMethods : [method]

const pathOf = (request: IncomingMessage): string => (request.url ?? '').split('?')[0]!

/** A broken link to a public page is a broken link; elsewhere a caller is asked for first. */
const unroutedHandler =
  (pipeline: Pipeline, pages: readonly Page[]) =>
  (
    request: IncomingMessage,
    response: ServerResponse,
    allowedMethods: readonly string[],
  ): Promise<void> => {
    const path = pathOf(request)
    const page = pages.find(
      ({ pathPrefix }) => pathPrefix !== undefined && path.startsWith(pathPrefix),
    )
    return page !== undefined && readMethods.includes(request.method ?? '')
      ? page.serve(pipeline, request, response, {})
      : handleRequest(pipeline, request, response, { ...noRoute, allowedMethods })
  }

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

const noRoute = {
  route: undefined as Route | undefined,
  params: {},
  allowedMethods: [] as string[],
}

const methodsOfPage = ({ method }: Page): readonly string[] =>
  method === undefined ? readMethods : [method]

const methodsByPattern = (operations: readonly Operation[], pages: readonly Page[]) => {
  const methods = new Map<string, string[]>()
  const add = (path: string, method: string) =>
    methods.set(path, [...(methods.get(path) ?? []), method])
  for (const operation of operations) {
    for (const method of methodsOf(operation)) add(operation.path, method)
  }
  for (const page of pages) for (const method of methodsOfPage(page)) add(page.path, method)
  // Literal paths before patterns: /v1/keys before /v1/{anything}.
  return [...methods]
    .toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, list]) => ({
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      methods: list.toSorted(),
    }))
}

/** Bytes that are no HTTP request: an answer without a caller, then the connection ends. */
const refuseMalformed = (
  { context, rateLimits }: Pipeline,
  socket: import('node:net').Socket,
): void => {
  if (socket.destroyed || !socket.writable) return
  const responseContext = {
    requestId: newId(),
    rateLimit: {
      policyHeader: rateLimits.policyHeader,
      statusHeader: rateLimits.count('address', socket.remoteAddress ?? '').header,
    },
    baseUrl: context.config.baseUrl,
  }
  const lines: string[] = []
  const response = {
    writeHead: (status: number, headers: string[]) => {
      lines.push(`HTTP/1.1 ${status} ${status === 400 ? 'Bad Request' : ''}`.trimEnd())
      for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
      lines.push('Connection: close')
    },
    end: (body: string) => socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`),
  } as unknown as ServerResponse
  sendRefusal(
    response,
    responseContext,
    refuse('invalid_request', 'The request is not well-formed HTTP.', {
      errors: [
        {
          param: '',
          code: 'invalid_value',
          message:
            'The request line, a header or the body framing is malformed or too large, or there are too many headers.',
          fix: `send one well-formed HTTP/1.1 request with at most ${limits.headersMaxCount} headers, of at most ${limits.headerMaxBytes} bytes together`,
        },
      ],
    }),
  )
}
