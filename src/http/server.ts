/**
 * The HTTP server: limits and timeouts tighter than Node's, and two encapsulated Fastify plugins,
 * one for the operations and one for the pages. Both hand the raw request on before Fastify reads a
 * body or a media type, so the order of refusals is ours (pipeline.ts); other plugins can be
 * registered beside them and use Fastify as usual.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { limits } from '../contract/limits.ts'
import type { Operation } from '../operations/operation.ts'
import { type Pipeline, noRoute } from './exchange.ts'
import { endConnectionsOnStop } from './ended-connections.ts'
import { answerHalfClosed } from './half-closed.ts'
import { malformedRequest } from './malformed-request.ts'
import type { Page } from './pages/page.ts'
import { handleRequest } from './pipeline.ts'
import { serveInOrder } from './pipelined-requests.ts'
import { pathPattern, routeOf } from './route.ts'
import { cutOffSlowReaders } from './slow-readers.ts'

export const buildServer = (
  pipeline: Pipeline,
  operations: readonly Operation[],
  pages: readonly Page[],
): FastifyInstance => {
  const { context } = pipeline
  const serveUnmatched = unmatchedHandler(pipeline, operations, pages)
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // While draining, requests on an open connection are still answered.
    return503OnClosing: false,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    maxRequestsPerSocket: limits.requestsPerSocketMax,
    http: {
      maxHeaderSize: limits.headerMaxBytes,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.connectionsCheckEveryMs,
      noDelay: true,
      // The pipeline refuses it instead, with the error envelope.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    routerOptions: { maxParamLength: limits.headerMaxBytes, ignoreTrailingSlash: false },
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      void serveUnmatched(request.raw, reply.raw, noMethods)
    },
    clientErrorHandler: (error, socket) => malformedRequest(pipeline, error, socket),
  })
  server.server.maxHeadersCount = limits.headersMaxCount
  server.server.maxConnections = limits.connectionsMax
  answerHalfClosed(server.server)
  endConnectionsOnStop(server)
  cutOffSlowReaders(server.server, {
    checkEveryMs: limits.connectionsCheckEveryMs,
    stallMs: limits.responseStallMs,
    unsentMaxBytes: limits.unsentResponsesMaxBytes,
  })

  server.register(rawRoutes(operationRoutes(pipeline, operations)))
  server.register(rawRoutes(pageRoutes(pipeline, pages)))
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    reply.hijack()
    void serveUnmatched(request.raw, reply.raw)
  })
  // The pipeline asks for a body once nothing refuses it. Node.js would ask at once.
  server.server.on('checkContinue', (request, response) => {
    server.server.emit('request', request, response)
  })
  server.server.on('checkExpectation', (request, response) => {
    void handleRequest(pipeline, request, response)
  })
  server.setErrorHandler((error, request, reply) => {
    context.log.error({ error, path: request.url }, 'server_error')
    reply.hijack()
    if (!reply.raw.headersSent) void handleRequest(pipeline, request.raw, reply.raw)
  })
  return server
}

type Serve = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

interface RawRoute {
  method: string
  path: string
  serve: Serve
}

/** Routes that take over the raw request and response before Fastify parses anything. */
const rawRoutes =
  (routes: readonly RawRoute[]) =>
  async (plugin: FastifyInstance): Promise<void> => {
    plugin.addHook('onRequest', async (request, reply) => {
      reply.hijack()
      const { serve } = request.routeOptions.config as unknown as { serve: Serve }
      await serveInOrder(request.raw, () => serve(request, reply))
    })
    for (const { method, path, serve } of routes) {
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
      plugin.route({ method, url, config: { serve } as object, handler: () => undefined })
    }
  }

const operationRoutes = (pipeline: Pipeline, operations: readonly Operation[]): RawRoute[] =>
  operations.flatMap((operation) => {
    const serve: Serve = (request, reply) => {
      const route = routeOf(operation)
      const params = request.params as Record<string, string>
      return handleRequest(pipeline, request.raw, reply.raw, { route, params, allowedMethods: [] })
    }
    return methodsOf(operation).map((method) => ({ method, path: operation.path, serve }))
  })

const pageRoutes = (pipeline: Pipeline, pages: readonly Page[]): RawRoute[] =>
  pages.flatMap((page) => {
    const serve: Serve = (request, reply) =>
      page.serve(pipeline, request.raw, reply.raw, request.params as Record<string, string>)
    return pageMethods(page).map((method) => ({ method, path: page.path, serve }))
  })

/** Whatever answers GET answers HEAD as well. */
const readMethods = ['GET', 'HEAD']

const methodsOf = ({ method }: Operation): readonly string[] =>
  method === 'GET' ? readMethods : [method]

const pageMethods = ({ method }: Page): readonly string[] =>
  method === undefined ? readMethods : [method]

/** A path that the router cannot decode exists under no method. */
const noMethods: readonly string[] = []

/** Serves requests without a route: a broken link of a page, a wrong method or an unknown path. */
const unmatchedHandler = (
  pipeline: Pipeline,
  operations: readonly Operation[],
  pages: readonly Page[],
) => {
  const methodsByPath = methodsByPattern(operations, pages)
  const methodsOfPath = (path: string): readonly string[] =>
    methodsByPath.find(({ pattern }) => pattern.test(path))?.methods ?? noMethods
  return (
    request: IncomingMessage,
    response: ServerResponse,
    methods?: readonly string[],
  ): Promise<void> => {
    const path = (request.url ?? '').split('?')[0]!
    const page = pages.find(({ pathPrefix: prefix }) => prefix && path.startsWith(prefix))
    if (page !== undefined && readMethods.includes(request.method ?? '')) {
      return page.serve(pipeline, request, response, {})
    }
    const allowedMethods = methods ?? methodsOfPath(path)
    const shownPath = shownPathBelow(page)
    return handleRequest(pipeline, request, response, { ...noRoute, allowedMethods, shownPath })
  }
}

/** What names a page may be a secret, such as the token of a link, also with a wrong method. */
const shownPathBelow = (page: Page | undefined): string | undefined =>
  page?.path.includes('{') === true ? page.path : undefined

const methodsByPattern = (operations: readonly Operation[], pages: readonly Page[]) => {
  const methods = new Map<string, string[]>()
  const add = (path: string, more: readonly string[]) =>
    methods.set(path, [...(methods.get(path) ?? []), ...more])
  for (const operation of operations) add(operation.path, methodsOf(operation))
  for (const page of pages) add(page.path, pageMethods(page))
  // Literal paths before patterns: /v1/keys before /v1/{anything}.
  return [...methods]
    .toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, list]) => ({ pattern: pathPattern(path), methods: [...new Set(list)].toSorted() }))
}
