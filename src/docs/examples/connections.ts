/** The story's examples around its documents: connection, attached files, the log of calls. */
import { type Example, exampleIds } from './ids.ts'

const shop = { organization_id: exampleIds.issuer, name: 'Bright Timber', verified: true }
const cafe = { organization_id: exampleIds.counterparty, name: 'Harbour Café', verified: true }

/** As the shop sees it, who invited. */
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

const attachment = {
  id: exampleIds.attachment,
  filename: 'delivery-note.pdf',
  content_type: 'application/pdf',
  size: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  uploaded_by: 'issuer',
  created_at: '2026-11-21T09:12:20.118Z',
}

const refusedCall = {
  id: exampleIds.request,
  method: 'POST',
  path: `/v1/documents/${exampleIds.document}/transition`,
  status: 409,
  key_id: exampleIds.key,
  duration_ms: 4,
  idempotency_key: '2026-11-21-invoice-0117',
  created_at: '2026-11-21T14:39:58.201Z',
}

const sandbox = {
  sandbox_id: 'sbx_01kbm9xn3te4qb0v6kmh8s2cpd',
  organization: { id: 'org_01kbm9xn3sfa1t5p9yh3vq7wjc', name: 'Trial', verified: true },
  demo_organization: {
    id: 'org_01kbm9xn3se8m2r4gkc6bz0ntf',
    name: 'Demo Counterparty',
    verified: true,
  },
  connection_id: 'con_01kbm9xn3tfpa8d2j7w5y1qhse',
  created_at: '2026-11-21T09:30:00.000Z',
}

export const connectionExamples: Readonly<Record<string, Example>> = {
  'sandboxes.list': { answer: { data: [sandbox], next_cursor: null, has_more: false } },
  'sandboxes.create': {
    body: { name: 'Trial' },
    answer: {
      ...sandbox,
      api_key: 'rk_test_dx1_7hQd2Pya…',
      demo_api_key: 'rk_test_dx1_0sVb9Lkt…',
      admin_session_token: 'rs_test_…',
      demo_admin_session_token: 'rs_test_…',
    },
  },
  'requests.list': {
    query: 'status=409&limit=1',
    answer: { data: [refusedCall], next_cursor: null, has_more: false },
  },
  'attachments.list': { answer: { data: [attachment], next_cursor: null, has_more: false } },
  'attachments.create': { answer: attachment },
  'attachments.get': {
    answer: {
      ...attachment,
      download_url: 'https://exchange.example/files/kq3vJ0yT4mWn',
      expires_at: '2026-11-21T09:20:31.000Z',
    },
  },
  'connections.list': { answer: { data: [connection], next_cursor: null, has_more: false } },
  'connections.get': { answer: connection },
  'connections.create': {
    body: { email: invitation.invited_email, default_payment_terms: 'Net 30', currency: 'EUR' },
    answer: invitation,
  },
  'connections.accept': { answer: acceptedConnection },
  'connections.decline': {
    answer: { ...acceptedConnection, status: 'declined', allowed_transitions: [] },
  },
  'connections.end': { answer: { ...connection, status: 'ended', allowed_transitions: [] } },
}
