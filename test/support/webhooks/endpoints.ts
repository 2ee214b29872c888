/** Endpoints and deliveries made without the API, for tests of what is done with them. */
import { registerEndpoint } from '../../../src/changes/webhooks/endpoints.ts'
import { encodeId } from '../../../src/core/ids.ts'
import { unsentAttempt, pingDelivery } from '../../../src/webhook-delivery/attempt.ts'
import { sql } from '../../../src/database/sql.ts'
import { insertPing } from '../../../src/store/webhooks/deliveries.ts'
import type { TestOrganization, TestService } from '../service.ts'

/** An endpoint whose name leads nowhere. */
export const anEndpoint = async (
  { database, service }: TestService,
  { uuid, mode }: Pick<TestOrganization, 'uuid' | 'mode'>,
): Promise<{ id: string; uuid: string }> => {
  // Examples are made by the dozen, and ten is the most that an organization may have.
  await database.run(sql`delete from webhook_endpoints where organization_id = ${uuid}`)
  const { endpoint } = await registerEndpoint(database, service.context.keyring.webhookSecrets, {
    organization: uuid,
    mode,
    url: 'https://gone.example/hooks',
    events: [],
    description: null,
  })
  return { id: encodeId('whk', endpoint.id), uuid: endpoint.id }
}

/** A delivery that failed, of an endpoint of its own; its path. */
export const aDeliveryPath = async (
  running: TestService,
  acting: Pick<TestOrganization, 'uuid' | 'mode'>,
): Promise<string> => {
  const endpoint = await anEndpoint(running, acting)
  const ping = pingDelivery({ mode: acting.mode, now: new Date().toISOString() })
  const { row } = unsentAttempt(ping, 'the name does not resolve')
  await insertPing(running.database, endpoint.uuid, ping, row)
  return `/v1/webhooks/${endpoint.id}/deliveries/${encodeId('dlv', ping.id)}`
}
