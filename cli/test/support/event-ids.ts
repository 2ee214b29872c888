/** The ids of the feed of an organization, the oldest first. */
import { callApi } from '../../../test/support/api-client.ts'
import type { TestService } from '../../../test/support/test-service.ts'

export const eventIdsOf = async (running: TestService, key: string): Promise<string[]> => {
  const { data } = (await callApi(running, 'GET', '/v1/events?limit=100', { key })).body
  return data.map(({ id }: { id: string }) => id).toReversed()
}
