/** Documents as an organization has them after some weeks, for pages and pictures of them. */
import { callApi } from '../api-client.ts'
import { inDays } from '../dates.ts'
import type { RunningConsole } from './running-console.ts'

const bills = [
  ['Oak boards, planed', 4_120.5, 12],
  ['Delivery to the yard', 260, 12],
  ['Beech plywood, 18 mm', 1_875.2, 14],
  ['Larch cladding', 7_340, 16],
  ['Sharpening of saw blades', 96.4, 17],
] as const

/** The bill that an order led to, which is paid, a draft, and the month in which others are due. */
export const busyOffice = async ({ baseUrl, practice, post }: RunningConsole) => {
  const [ours, theirs] = [practice.organization.api_key, practice.demo.api_key]
  const created = async (key: string, body: object): Promise<string> => {
    const { id } = await post(key, '/v1/documents', {
      connection_id: practice.connection_id,
      external_refs: { sandbox_scenario: 'manual' },
      ...body,
    })
    await post(key, `/v1/documents/${id}/issue`)
    return id
  }
  const convert = async (key: string, id: string, document_type: string): Promise<string> => {
    const converted = await post(key, `/v1/documents/${id}/convert`, {
      document_type,
      external_refs: { sandbox_scenario: 'manual' },
    })
    await post(key, `/v1/documents/${converted.id}/issue`)
    return converted.id
  }
  const move = (key: string, id: string, body: object) =>
    post(key, `/v1/documents/${id}/transition`, body)
  const lineOf = (description: string, unit_price: number) => ({
    line_items: [{ description, quantity: 1, unit_price, tax_rate: 0.08 }],
  })

  const owed: string[] = []
  for (const [description, price, days] of bills)
    owed.push(
      await created(theirs, {
        document_type: 'invoice',
        due_date: inDays(days),
        ...lineOf(description, price),
      }),
    )
  await move(ours, owed[1]!, { to: 'approved' })
  await move(ours, owed[1]!, { to: 'payment_scheduled', scheduled_for: inDays(13) })
  await move(ours, owed[2]!, { to: 'approved' })
  await move(ours, owed[4]!, { to: 'disputed' })
  await created(ours, {
    document_type: 'invoice',
    due_date: inDays(15),
    ...lineOf('Staircase, oak', 12_500),
  })

  const quote = await created(theirs, { document_type: 'quote', ...lineOf('Walnut shelf', 1_200) })
  await move(ours, quote, { to: 'accepted' })
  const order = await convert(ours, quote, 'purchase_order')
  await move(theirs, order, { to: 'accepted' })
  const bill = await convert(theirs, order, 'invoice')
  await move(ours, bill, { to: 'approved' })
  await post(ours, `/v1/documents/${bill}/pay`)

  const { id: draft } = await post(ours, '/v1/documents', {
    connection_id: practice.connection_id,
    document_type: 'invoice',
    ...lineOf('Banister, ash', 940),
  })

  // What a program under development asks for.
  await callApi({ baseUrl }, 'GET', '/v1/documents/doc_01m8fa1yr5f3x9g3gdd516m7q8', { key: ours })
  await callApi({ baseUrl }, 'GET', '/v1/documents?stauts=approved', { key: ours })
  return { bill, draft, month: inDays(14).slice(0, 7) }
}
