/** What a search has found: the group that it stands in, and the page that shows it. */
import { call } from '../api/call.ts'
import type { Payment, SearchHit } from '../api/types.ts'
import type { IconName } from '../design/icon.tsx'

interface GroupOfResults {
  group: string
  icon: IconName
}

export const groupsOfResults: Readonly<Record<SearchHit['object'], GroupOfResults>> = {
  document: { group: 'Documents', icon: 'documents' },
  connection: { group: 'Connections', icon: 'connections' },
  payment: { group: 'Payments', icon: 'payments' },
  key: { group: 'Keys', icon: 'keys' },
  webhook: { group: 'Webhooks', icon: 'webhooks' },
  request: { group: 'Requests', icon: 'requests' },
}

export interface Place {
  to: string
  params?: Record<string, string> | undefined
  search?: Record<string, string> | undefined
}

const documentPage = (document: string): Place => ({
  to: '/o/$org/documents/$document',
  params: { document },
})

type Result = Pick<SearchHit, 'object' | 'id' | 'subtitle'>

/** The page that shows the record itself, and not the list that it is somewhere in. */
export const placeOf = async ({ object, id, subtitle }: Result): Promise<Place> => {
  if (object === 'document') return documentPage(id)
  if (object === 'payment') {
    const payment = await call<Payment>('GET', `/v1/payments/${id}`).catch(() => null)
    return payment === null ? { to: '/o/$org/payments' } : documentPage(payment.document_id)
  }
  // Who was only invited has no documents.
  if (object === 'connection' && subtitle !== 'invited')
    return { to: '/o/$org/documents', search: { connection: id } }
  if (object === 'webhook') return { to: '/o/$org/webhooks/$webhook', params: { webhook: id } }
  // A request is shown over the list of them.
  if (object === 'request') return { to: '/o/$org/requests', search: { request: id } }
  return { to: object === 'key' ? '/o/$org/keys' : '/o/$org/connections' }
}
