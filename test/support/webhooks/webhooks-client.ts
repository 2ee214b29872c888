/** Subscribed organizations, and the webhook calls that their admins make. */
import { callApi } from '../api-client.ts'
import { type TestOrganization, type Pair, aDraft, aPair } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'
import { startReceiver, subscribe } from './receiver.ts'

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
    listDeliveries: async (organization: TestOrganization, id: string, query = '') =>
      (await send(organization, 'GET', `/${id}/deliveries${query}`)).body.data,
    /** Creates a pair whose issuer is subscribed, and the receiver of its deliveries. */
    subscribedPair: async (more: object = {}) => {
      const receiver = await startReceiver()
      const pair = await aPair(running)
      const endpoint = await subscribe(running, pair.issuer, receiver.url, more)
      return { receiver, pair, endpoint, issuer: pair.issuer }
    },
    createDrafts: async (pair: Pair, count: number) => {
      for (let i = 0; i < count; i += 1) await aDraft(running, pair)
    },
  }
}
