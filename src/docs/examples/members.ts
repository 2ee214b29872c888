/** The people of the shop, their views, and what they did. */
import { type Example, exampleIds, page } from './ids.ts'

const accountant = {
  user_id: 'usr_01kbm9p2t8e4w9m5x7c1q3r6vz',
  email: 'ada@corner-shop.example',
  name: 'Ada',
  role: 'finance',
  created_at: '2026-11-20T08:15:00.000Z',
  last_used_at: '2026-11-21T08:02:11.417Z',
}

const { user_id: id, email, name } = accountant

const payment = {
  id: 'aud_01kbm9t4hce8v2n6r0w4z8b2d5',
  seq: 118,
  user: { id, email, name },
  operation: 'documents.pay',
  summary: 'Pay the whole balance of a document',
  path: `/v1/documents/${exampleIds.document}/pay`,
  resource_id: exampleIds.document,
  request_id: exampleIds.request,
  address: '203.0.113.7',
  created_at: '2026-11-21T14:40:02.118Z',
}

const view = {
  id: 'viw_01kbm9t6q1f3h5k7n9s1v3x5z7',
  name: 'To pay this week',
  list: 'documents',
  query: 'direction=received&status=approved',
  created_at: '2026-11-21T08:20:00.000Z',
  updated_at: '2026-11-21T08:20:00.000Z',
}

const { id: _, created_at: __, updated_at, ...newView } = view

const preferences = {
  theme: 'dark',
  density: 'comfortable',
  time_zone: null,
  notices: {
    approval_wanted: true,
    payment_failed: true,
    endpoint_failing: true,
    key_expiring: false,
  },
  first_steps: { signature_verified: true, proof_verified: false },
  updated_at,
}

export const memberExamples: Readonly<Record<string, Example>> = {
  'audit.list': { query: 'operation=documents.pay', response: page(payment) },
  'saved_views.list': { response: page(view) },
  'saved_views.create': { body: newView, response: view },
  'saved_views.update': { body: { name: 'To pay' }, response: { ...view, name: 'To pay' } },
  'saved_views.delete': { response: view },
  'preferences.get': { response: preferences },
  'preferences.update': {
    body: { theme: 'dark', notices: { key_expiring: false } },
    response: preferences,
  },
  'members.list': { query: 'role=finance,approver', response: page(accountant) },
  'members.update': { body: { role: 'approver' }, response: { ...accountant, role: 'approver' } },
  'members.remove': { response: accountant },
}
