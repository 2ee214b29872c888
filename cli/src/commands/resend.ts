/** `docex events resend`: sends one event again to the endpoints of the organization. */
import type { Command } from 'commander'
import type { Client } from '../../../sdk/src/client.ts'
import { list } from '../../../sdk/src/lists.ts'
import type { Delivery, Event, Webhook } from '../../../sdk/src/generated/types.ts'
import { segment } from '../../../sdk/src/request.ts'
import { contextOf, withoutKey } from '../context.ts'
import type { Io } from '../io.ts'
import { printJson, tableText } from '../output.ts'
import { groupOf } from './groups.ts'

export const addResend = (program: Command, io: Io): void => {
  const command = groupOf(program, ['events'])
    .command('resend')
    .argument('<event-id>', 'The event, evt_….')
    .summary('Send an event again to the webhook endpoints')
    .description(
      'Send an event again: its delivery once more, with the same bytes, or its first one to an' +
        ' endpoint that has none. Needs an admin session, or a key with webhooks:manage.',
    )
    .option('--webhook <id>', 'Only to this endpoint, whk_….')
    .addHelpText('after', '\nExample:\n  docex events resend evt_… --webhook whk_…')
    .action(async (id: string) => {
      const { options, client: open } = contextOf(io, command)
      const client = open()
      const event = await client.json<Event>({ method: 'GET', path: `/v1/events/${segment(id)}` })
      const only = options['webhook'] as string | undefined
      const sent = []
      for (const webhook of await endpointsOf(client, only)) {
        sent.push(await withoutKey(() => resend(client, webhook, event)))
      }
      if (options.json === true) printJson(io, { event_id: event.id, sent })
      else io.stdout.write(tableText(io, sent, ['webhook_id', 'url', 'delivery_id', 'scheduled']))
    })
}

const endpointsOf = async (client: Client, only: string | undefined): Promise<Webhook[]> =>
  only === undefined
    ? list<Webhook>(client, '/v1/webhooks', { limit: 100 }, {}).toArray({ limit: 1_000 })
    : [await client.json<Webhook>({ method: 'GET', path: `/v1/webhooks/${segment(only)}` })]

interface Resent extends Record<string, unknown> {
  webhook_id: string
  url: string
  /** Null for the first delivery, which has no id yet. */
  delivery_id: string | null
  scheduled: number
}

const resend = async (client: Client, { id, url }: Webhook, event: Event): Promise<Resent> => {
  const path = `/v1/webhooks/${id}`
  const since = event.created_at
  const query = { type: event.type, since, limit: 100 }
  const deliveries = list<Delivery>(client, `${path}/deliveries`, query, {})
  for await (const delivery of deliveries) {
    if (delivery.event_id !== event.id) continue
    const again = `${path}/deliveries/${delivery.id}/redeliver`
    await client.json({ method: 'POST', path: again, body: {} })
    return { webhook_id: id, url, delivery_id: delivery.id, scheduled: 1 }
  }
  const body = { since, until: since, types: [event.type] }
  const { scheduled } = await client.json<{ scheduled: number }>({
    method: 'POST',
    path: `${path}/redeliver`,
    body,
  })
  return { webhook_id: id, url, delivery_id: null, scheduled }
}
