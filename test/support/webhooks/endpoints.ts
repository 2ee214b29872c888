/** Endpoints and deliveries, created without the API. */
import { registerEndpoint, removeEndpoint } from '../../../src/changes/webhooks/endpoints.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { unsentAttempt } from '../../../src/webhook-delivery/attempt.ts'
import { pingDelivery } from '../../../src/webhook-delivery/ping.ts'
import { sql } from '../../../src/database/sql.ts'
import { insertPing } from '../../../src/store/webhooks/deliveries.ts'
import { inTurn } from '../database/in-turn.ts'
import type { TestOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

/** Creates an endpoint whose name does not resolve. */
export const anEndpoint = async (
  { database, service }: TestService,
  { uuid, mode }: Pick<TestOrganization, 'uuid' | 'mode'>,
): Promise<{ id: string; uuid: string }> => {
  // Tests create many examples, but an organization may have only ten endpoints.
  const older = await database.rows<{ id: string }>(sql`
    select id from webhook_endpoints where organization_id = ${uuid} order by id desc offset 5`)
  const { endpoint } = await inTurn(database, async (tx) => {
    for (const { id } of older) await removeEndpoint(tx, uuid, id)
    return registerEndpoint(tx, service.context.keyring.webhookSecrets, {
      organization: uuid,
      mode,
      url: 'https://gone.example/hooks',
      events: [],
      description: null,
    })
  })
  return { id: encodeId('whk', endpoint.id), uuid: endpoint.id }
}

/** Creates a failed delivery of a new endpoint, and returns its path. */
export const aDeliveryPath = async (
  running: TestService,
  organization: Pick<TestOrganization, 'uuid' | 'mode'>,
): Promise<string> => {
  const endpoint = await anEndpoint(running, organization)
  const ping = pingDelivery({ mode: organization.mode, now: new Date().toISOString() })
  const { row } = unsentAttempt(ping, 'the name does not resolve')
  await insertPing(running.database, endpoint.uuid, ping, row)
  return `/v1/webhooks/${endpoint.id}/deliveries/${encodeId('dlv', ping.id)}`
}
