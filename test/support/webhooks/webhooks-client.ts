/** An organization that listens, and its admin's view of what is delivered. */
import { startReceiver, subscribe } from './receiver.ts'
import {
  type TestOrganization,
  type Pair,
  type TestService,
  aDraft,
  aPair,
  callApi,
} from '../service.ts'

export const webhooksClient = (running: TestService) => {
  const send = (
    { session }: TestOrganization,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    callApi(running, method, `/v1/webhooks${path}`, {
      key: session,
      headers,
      ...(body ? { body } : {}),
    })
  return {
    send,
    deliveries: async (acting: TestOrganization, id: string, query = '') =>
      (await send(acting, 'GET', `/${id}/deliveries${query}`)).body.data,
    /** A pair whose issuer listens, and what its receiver gets. */
    listening: async (more: object = {}) => {
      const receiver = await startReceiver()
      const pair = await aPair(running)
      const endpoint = await subscribe(running, pair.issuer, receiver.url, more)
      return { receiver, pair, endpoint, issuer: pair.issuer }
    },
    drafts: async (pair: Pair, count: number) => {
      for (let i = 0; i < count; i += 1) await aDraft(running, pair)
    },
  }
}
