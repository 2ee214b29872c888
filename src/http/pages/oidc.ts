/** /auth/oidc/{id}/start and /callback: a browser goes to an identity provider, and comes back. */
import type { AnonymousCaller } from '../../operations/operation.ts'
import { type Redirect, callback, start } from '../../operations/identity/oidc.ts'
import { type Exchange, requesterOf } from '../exchange.ts'
import { send } from '../respond.ts'
import { type Page, publicPage } from './page.ts'

const callerOf = (exchange: Exchange): AnonymousCaller => {
  const { request, pipeline, requestId } = exchange
  const { address, network } = pipeline.addressOf(request)
  const requester = requesterOf(exchange, network)
  return { address, requestId, headers: request.headers, requester, dryRun: false }
}

const redirectPage = (
  path: string,
  redirect: (exchange: Exchange, provider: string) => Promise<Redirect>,
): Page =>
  publicPage(path, async (exchange, { id = '' }) => {
    const { location, cookie } = await redirect(exchange, id)
    const headers = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
    const set = cookie === undefined ? {} : { 'Set-Cookie': cookie }
    send(exchange, 303, '', { ...headers, Location: location, ...set })
  })

export const oidcPages: readonly Page[] = [
  redirectPage('/auth/oidc/{id}/start', (exchange, provider) => {
    const to = new URLSearchParams(exchange.search).get('to') ?? ''
    return start(exchange.pipeline.context, { provider, to }, callerOf(exchange))
  }),
  redirectPage('/auth/oidc/{id}/callback', (exchange, provider) => {
    const { search, pipeline } = exchange
    return callback(pipeline.context, { provider, search }, callerOf(exchange))
  }),
]
