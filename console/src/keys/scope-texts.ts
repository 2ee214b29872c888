/** What scopes are for, each by itself and together. */
import type { Scope } from '../api/types.ts'

export const scopeTexts: readonly (readonly [Scope, string])[] = [
  ['documents:read', 'Documents, connections and events'],
  ['documents:write', 'Create, edit, issue and move documents'],
  ['payments:read', 'Payments'],
  ['payments:write', 'Pay documents'],
  ['treasury:read', 'Accounts, balances and transactions'],
  ['provenance:read', 'Verified history and proofs'],
  ['keys:manage', 'List and read keys'],
  ['webhooks:manage', 'Endpoints and deliveries'],
]

interface Preset {
  title: string
  scopes: readonly Scope[]
}

const reading = ['documents:read', 'payments:read'] as const

export const presets: Readonly<Record<string, Preset>> = {
  read: { title: 'Read', scopes: reading },
  sync: { title: 'Sync documents', scopes: ['documents:read', 'documents:write'] },
  pay: {
    title: 'Pay',
    scopes: ['documents:read', 'documents:write', 'payments:read', 'payments:write'],
  },
  audit: { title: 'Audit', scopes: [...reading, 'treasury:read', 'provenance:read'] },
}

export const areSameScopes = (a: readonly Scope[], b: readonly Scope[]): boolean =>
  a.length === b.length && a.every((scope) => b.includes(scope))

/** `Pay`, where they are those of a use; else as `Documents, payments: read; keys: manage`. */
export const scopesText = (scopes: readonly Scope[]): string => {
  const preset = Object.values(presets).find((one) => areSameScopes(scopes, one.scopes))
  if (preset !== undefined) return preset.title
  const actionsOf = grouped(scopes.map((scope) => scope.split(':') as [string, string]))
  const familiesOf = grouped(
    [...actionsOf].map(([family, actions]) => [actions.toSorted().join(', '), family]),
  )
  const text = [...familiesOf]
    .map(([actions, families]) => `${families.join(', ')}: ${actions}`)
    .join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const grouped = (pairs: readonly (readonly [string, string])[]): Map<string, string[]> => {
  const groups = new Map<string, string[]>()
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value])
  return groups
}
