/** The roles of members (contract 12). The console offers them as a choice. */
export const roleNames = [
  'owner',
  'admin',
  'developer',
  'finance',
  'approver',
  'viewer',
  'member',
] as const
