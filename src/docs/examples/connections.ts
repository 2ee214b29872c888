/** The connection between the shop and the café. */
import { type Example, exampleIds, page } from './ids.ts'

const shop = { organization_id: exampleIds.issuer, name: 'Bright Timber', verified: true }
const cafe = { organization_id: exampleIds.counterparty, name: 'Harbour Café', verified: true }

/** As the shop sees it, which sent the invitation. */
const connection = {
  id: exampleIds.connection,
  status: 'active',
  counterparty: cafe,
  invited_by: 'you',
  invited_email: null,
  default_payment_terms: 'Net 30',
  currency: 'EUR',
  allowed_transitions: ['ended'],
  sandbox: true,
  created_at: '2026-11-20T15:02:11.000Z',
  updated_at: '2026-11-20T16:30:00.250Z',
}

const invitation = {
  ...connection,
  status: 'invited',
  counterparty: null,
  invited_email: 'orders@harbour-cafe.example',
  updated_at: connection.created_at,
}

/** As the café sees it. */
const acceptedConnection = { ...connection, counterparty: shop, invited_by: 'counterparty' }

export const connectionExamples: Readonly<Record<string, Example>> = {
  'connections.list': { response: page(connection) },
  'connections.get': { response: connection },
  'connections.create': {
    body: { email: invitation.invited_email, default_payment_terms: 'Net 30', currency: 'EUR' },
    response: invitation,
  },
  'connections.accept': { response: acceptedConnection },
  'connections.decline': {
    response: { ...acceptedConnection, status: 'declined', allowed_transitions: [] },
  },
  'connections.end': { response: { ...connection, status: 'ended', allowed_transitions: [] } },
}
