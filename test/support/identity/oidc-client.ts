/** A browser that signs in through an identity provider, step by step. */
import assert from 'node:assert/strict'
import { callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'

export interface Arrival {
  /** Of the page of the console. */
  path: string
  problem: string | null
  to: string | null
  fragment: string
  /** The cookie of the signed-in browser, if there is one. */
  refreshCookie: string | undefined
}

export interface Begun {
  /** At the provider. */
  url: string
  cookie: string
}

export const oidcClient = (running: Pick<TestService, 'baseUrl'>, provider = 'oidc') => {
  const arrivalOf = (headers: Headers): Arrival => {
    const { pathname, searchParams, hash } = new URL(headers.get('location')!)
    const refresh = headers.getSetCookie().find((one) => one.startsWith('svc_refresh='))
    return {
      path: pathname,
      problem: searchParams.get('problem'),
      to: searchParams.get('to'),
      fragment: hash,
      refreshCookie: refresh?.split(';')[0],
    }
  }
  const start = async (to = ''): Promise<{ begun: Begun } | { arrival: Arrival }> => {
    const query = to === '' ? '' : `?to=${encodeURIComponent(to)}`
    const path = `/auth/oidc/${provider}/start${query}`
    const { status, headers } = await callApi(running, 'GET', path)
    assert.equal(status, 303)
    const [set] = headers.getSetCookie()
    if (set === undefined) return { arrival: arrivalOf(headers) }
    return { begun: { url: headers.get('location')!, cookie: set.split(';')[0]! } }
  }
  const begin = async (to = ''): Promise<Begun> => {
    const started = await start(to)
    assert('begun' in started, 'the browser goes to the provider')
    return started.begun
  }
  /** The person signs in at the provider; returns the query with which the browser comes back. */
  const consent = async ({ url }: Begun): Promise<string> => {
    const { headers } = await fetch(url, { redirect: 'manual' })
    return new URL(headers.get('location')!).search
  }
  const comeBack = async (query: string, cookie: string, to = provider): Promise<Arrival> => {
    const path = `/auth/oidc/${to}/callback${query}`
    const { status, headers } = await callApi(running, 'GET', path, { headers: { cookie } })
    assert.equal(status, 303)
    return arrivalOf(headers)
  }
  const signIn = async (to = ''): Promise<Arrival> => {
    const begun = await begin(to)
    return comeBack(await consent(begun), begun.cookie)
  }
  /** The session that the page of the console gets with the cookie. */
  const sessionOf = async ({ refreshCookie }: Arrival) => {
    assert(refreshCookie, 'the browser is signed in')
    const refreshed = await callApi(running, 'POST', '/auth/sessions/refresh', {
      body: {},
      headers: { cookie: refreshCookie, origin: running.baseUrl },
    })
    assert.equal(refreshed.status, 200, refreshed.text)
    return refreshed.body
  }
  return { start, begin, consent, comeBack, signIn, sessionOf }
}
