/**
 * Gives the lists of values that occur in several places one name each, so that a generated client
 * has one type for a currency or a status. Recognised by their values, because every field has a
 * description of its own, which stays beside the reference.
 */
import { currencies } from '../../contract/currencies.ts'
import { phases, statuses } from '../../contract/document-phases.ts'
import { documentTypeNames } from '../../contract/document-types.ts'
import { errorCodes } from '../../contract/error-codes.ts'
import { conflictReasons, signInConflictReasons } from '../../contract/conflict-reasons.ts'
import { eventTypeNames } from '../../contract/events.ts'
import { problemCodes } from '../../contract/problem.ts'
import { roleNames } from '../../contract/role-names.ts'
import { scopeNames } from '../../contract/scopes.ts'
import { paymentKinds, paymentMethods, paymentStatuses } from '../../contract/shapes/payments.ts'
import { searchedTypes } from '../../contract/shapes/search.ts'
import type { JsonSchema } from './json-schema.ts'

const enums: Readonly<Record<string, { values: readonly string[]; description: string }>> = {
  DocumentTypeName: { values: documentTypeNames, description: 'The type of a document.' },
  DocumentStatus: { values: statuses, description: 'A status of any type of document.' },
  DocumentPhase: { values: Object.keys(phases), description: 'A phase, across types.' },
  Currency: { values: currencies, description: 'A currency, by its ISO 4217 code.' },
  PaymentStatus: { values: paymentStatuses, description: 'The status of a payment.' },
  PaymentKind: { values: paymentKinds, description: 'The kind of a payment.' },
  PaymentMethod: { values: paymentMethods, description: 'How a payment is made.' },
  EventType: { values: eventTypeNames, description: 'What happened.' },
  MemberRole: { values: roleNames, description: 'What a member of an organization may do.' },
  SearchedType: { values: searchedTypes, description: 'What a search finds.' },
  Scope: { values: scopeNames, description: 'A scope of a key.' },
  ErrorCode: { values: errorCodes, description: 'The code of an error.' },
  ConflictReason: { values: conflictReasons, description: 'Why the state forbids it.' },
  SignInConflictReason: {
    values: [...conflictReasons, ...signInConflictReasons],
    description: 'Why the state forbids it.',
  },
  ProblemCode: { values: problemCodes, description: 'What is wrong with a field.' },
}

const nameOfValues = new Map(
  Object.entries(enums).map(([name, { values }]) => [JSON.stringify(values), name]),
)

export const enumSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(enums).map(([name, { values, description }]) => [
      name,
      { type: 'string', enum: values, description },
    ]),
  )

/** The same value, in which every schema with such a list refers to its name. */
export const withNamedEnums = <T>(value: T): T => named(value) as T

const named = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(named)
  if (typeof value !== 'object' || value === null) return value
  const { enum: values, type: _, ...rest } = value as Record<string, unknown>
  const name = Array.isArray(values) ? nameOfValues.get(JSON.stringify(values)) : undefined
  if (name !== undefined) return { $ref: `#/components/schemas/${name}`, ...rest }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, named(inner)]))
}
