/** A user of the shop signs in. These operations are outside of the versioned contract. */
import { type Example, exampleIds } from './ids.ts'

const session = {
  id: 'ses_01kbm9qz3ge4nvtw7d8hsn6b5m',
  expires_at: '2026-11-21T21:10:00.000Z',
  organization: { id: exampleIds.issuer, name: 'Bright Timber', mode: 'sandbox' },
  user: {
    id: 'usr_01kbm9qy8hf6kart2c5pxm4d9j',
    email: 'ada@bright-timber.example',
    name: 'Ada Holz',
  },
  role: 'admin',
  scopes: ['documents:write', 'documents:read'],
}

const opened = { ...session, token: 'rs_test_…', token_type: 'Bearer' }

export const sessionExamples: Readonly<Record<string, Example>> = {
  'sessions.create': {
    body: { email: session.user.email, password: 'correct horse battery staple' },
    response: opened,
  },
  'invitation.accept': {
    body: { token: 'mi_…', password: 'correct horse battery staple', name: 'Grace' },
    response: opened,
  },
  'session.get': { response: session },
  'session.end': { response: session },
  'session.switch': { body: { organization_id: exampleIds.issuer }, response: opened },
}
