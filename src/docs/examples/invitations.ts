/** Somebody new in the shop. */
import { type Example, page } from './ids.ts'

const invitation = {
  id: 'inv_01kbm9pb4wexd8r3q6n2v7z0tc',
  email: 'grace@corner-shop.example',
  role: 'developer',
  status: 'pending',
  invited_by: 'usr_01kbm9p2t8e4w9m5x7c1q3r6vz',
  accepted_by: null,
  created_at: '2026-11-21T08:30:00.000Z',
  expires_at: '2026-11-28T08:30:00.000Z',
}

export const invitationExamples: Readonly<Record<string, Example>> = {
  'invitations.list': { response: page(invitation) },
  'invitations.create': {
    body: { email: invitation.email, role: invitation.role },
    response: { ...invitation, token: 'mi_…' },
  },
  'invitations.revoke': { response: { ...invitation, status: 'revoked' } },
}
