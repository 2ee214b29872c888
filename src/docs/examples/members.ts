/** The people of the shop. */
import { type Example, page } from './ids.ts'

const accountant = {
  user_id: 'usr_01kbm9p2t8e4w9m5x7c1q3r6vz',
  email: 'ada@corner-shop.example',
  name: 'Ada',
  role: 'finance',
  created_at: '2026-11-20T08:15:00.000Z',
  last_used_at: '2026-11-21T08:02:11.417Z',
}

export const memberExamples: Readonly<Record<string, Example>> = {
  'members.list': { query: 'role=finance,approver', response: page(accountant) },
  'members.update': { body: { role: 'approver' }, response: { ...accountant, role: 'approver' } },
  'members.remove': { response: accountant },
}
