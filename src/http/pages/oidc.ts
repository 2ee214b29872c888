/** /auth/oidc/{id}/start and /callback: a browser goes to an identity provider, and comes back. */
import { type Redirect, callback, start } from '../../operations/identity/oidc.ts'
import type { Exchange } from '../exchange.ts'
import { send } from '../respond.ts'
import { type Page, anonymousCallerOf, publicPage } from './page.ts'

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
    return start(exchange.pipeline.context, { provider, to }, anonymousCallerOf(exchange))
  }),
  redirectPage('/auth/oidc/{id}/callback', (exchange, provider) => {
    const { search, pipeline } = exchange
    return callback(pipeline.context, { provider, search }, anonymousCallerOf(exchange))
  }),
]
