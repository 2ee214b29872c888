/** A new key as it is typed, and what the API takes of it. */
import { isAdmin } from '../api/permissions.ts'
import type { Session } from '../api/session.ts'
import type { Enablement, KeyCreate, Scope } from '../api/types.ts'
import { numberOf } from '../design/typed-numbers.ts'
import { presets } from './scope-texts.ts'

/** Why a person cannot give a scope; undefined if nothing is known against it. */
export const grantRefusal = (
  scope: Scope,
  session: Pick<Session, 'role' | 'scopes'>,
  families: Enablement['families'] | undefined,
): string | undefined => {
  const family = scope.slice(0, scope.indexOf(':')) as keyof Enablement['families']
  if (families?.[family]?.enabled === false) return 'This service runs without it.'
  if (session.scopes.includes(scope)) return undefined
  return isAdmin(session)
    ? 'Only a verified organization has it.'
    : `Your role, ${session.role}, does not include it.`
}

export interface KeyForm {
  name: string
  scopes: readonly Scope[]
  addresses: string
  /** Empty: no limit. */
  each: string
  daily: string
  /** That no limit is meant, and not forgotten. */
  isUnlimited: boolean
  /** Empty: never. */
  days: string
}

export const emptyKey: KeyForm = {
  name: '',
  scopes: presets['read']!.scopes,
  addresses: '',
  each: '',
  daily: '',
  isUnlimited: false,
  days: '365',
}

export const mayPay = ({ scopes }: KeyForm): boolean => scopes.includes('payments:write')

/** What is missing; undefined when it can be sent. */
export const obstacleOf = (form: KeyForm, mode: 'live' | 'sandbox'): string | undefined => {
  if (form.name.trim() === '') return 'Give it a name.'
  if (form.scopes.length === 0) return 'Give it a scope.'
  const hasLimit = form.each !== '' || form.daily !== ''
  return mode === 'live' && mayPay(form) && !hasLimit && !form.isUnlimited
    ? 'Give it a limit, or say that it has none.'
    : undefined
}

const dayMs = 86_400_000

const limitOf = (text: string) => (text === '' ? null : numberOf(text))

export const rangesOf = (addresses: string): string[] =>
  addresses.split(/[\s,]+/).filter((range) => range !== '')

export const bodyOf = (form: KeyForm, now: number): KeyCreate => {
  const { name, scopes, addresses, each, daily, days } = form
  const hasLimits = mayPay(form) && (each !== '' || daily !== '')
  const limits = { max_per_payment: limitOf(each), daily_volume: limitOf(daily) }
  return {
    name,
    scopes: [...scopes],
    ...(addresses === '' ? {} : { allowed_cidrs: rangesOf(addresses) }),
    ...(hasLimits ? { payment_limits: limits as NonNullable<KeyCreate['payment_limits']> } : {}),
    ...(days === '' ? {} : { expires_at: new Date(now + Number(days) * dayMs).toISOString() }),
  }
}
