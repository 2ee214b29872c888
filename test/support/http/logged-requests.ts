/** Requests that the log of an organization shows already. */
import { callApi } from '../api-client.ts'
import type { TestOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'
import { until } from '../until.ts'

/** Waits until the log has the request of this response; returns its path. */
export const loggedRequestPath = async (
  running: Pick<TestService, 'baseUrl'>,
  { session }: Pick<TestOrganization, 'session'>,
  { headers }: { headers: Headers },
): Promise<string> => {
  const path = `/v1/requests/${headers.get('request-id')}`
  await until('the request is in the log', async () => {
    return (await callApi(running, 'GET', path, { key: session })).status === 200
  })
  return path
}
