/** Field types. Each schema object is also the published JSON Schema. */
import { type TSchema, Type } from 'typebox'
import { limits } from '../limits.ts'

export const idPattern = (prefix: string) => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`

export const Id = (prefix: string, description: string) =>
  Type.String({
    pattern: idPattern(prefix),
    description,
    examples: [`${prefix}_01kbm9s346q3d25vt4f5v37e3s`],
  })

export const DateOnly = (description: string) =>
  Type.String({ format: 'date', description, examples: ['2026-11-21'] })

export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-21T01:40:00.123Z'] })

/** A date, or a timestamp with Z or an offset. */
export const DateOrTimestamp = (description: string) =>
  Type.String({ format: 'date-or-time', description })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Money = (description: string) =>
  Type.Number({ description: `${description} Major units, at most 2 decimals.` })

/** `suggested`: the values that a refusal names, when not all of them make sense. */
export const StringEnum = <const T extends string>(
  values: readonly T[],
  description: string,
  suggested?: readonly T[],
) =>
  Type.Unsafe<T>(
    Type.String({
      enum: [...values],
      description,
      ...(suggested === undefined ? {} : { examples: [...suggested] }),
    }),
  )

export const Text = (maxLength: number, description: string, minLength = 0) =>
  Type.String({ maxLength, ...(minLength > 0 ? { minLength } : {}), description })

/** A text without line breaks and tabs (contract 11). */
export const Line = (maxLength: number, description: string) =>
  Type.String({ maxLength, format: 'single-line', description })

/** At least one visible character: letter, digit, punctuation or symbol. */
export const visiblePattern = '[\\p{L}\\p{N}\\p{P}\\p{S}]'

export const base64UrlPattern = '^[0-9A-Za-z_-]+$'

export const EmailAddress = (description: string, example = 'grace@corner-shop.example') =>
  Type.String({
    maxLength: limits.emailMaxLength,
    pattern: '^[^\\s@]+@[^\\s@]+$',
    description,
    examples: [example],
  })

/** A text with at least one visible character. It is stored as sent, without trimming. */
export const NonBlankText = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: visiblePattern, description })

export const NonBlankLine = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: visiblePattern,
    format: 'single-line',
    description,
  })

/** metadata: an open map of texts. */
export const OpenMap = (description: string) => openMap(description, {})

/** external_refs: an open map of single lines. */
export const ReferenceMap = (description: string) => openMap(description, { format: 'single-line' })

const openMap = (description: string, more: { format?: string }) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: {
      minLength: 1,
      maxLength: limits.openMapKeyMaxLength,
      pattern: visiblePattern,
      format: 'single-line',
    },
    additionalProperties: { type: 'string', maxLength: limits.openMapValueMaxLength, ...more },
    maxProperties: limits.openMapMaxKeys,
    description,
  })
