/** Building blocks of every schema. The schema object is the JSON Schema that is published. */
import { type TSchema, Type } from 'typebox'
import { limits } from '../limits.ts'

const idPattern = (prefix: string) => `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`

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

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Money = (description: string) =>
  Type.Number({ description: `${description} Major units, at most 2 decimals.` })

export const OneOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>(Type.String({ enum: [...values], description }))

export const Text = (maxLength: number, description: string, minLength = 0) =>
  Type.String({ maxLength, ...(minLength > 0 ? { minLength } : {}), description })

/** A request body: nothing but what is listed. */
export const Body = <T extends Record<string, TSchema>>(fields: T, description: string) =>
  Type.Object(fields, { additionalProperties: false, description })

/** An answer: clients ignore fields that they do not know. */
export const View = <T extends Record<string, TSchema>>(fields: T, description: string) =>
  Type.Object(fields, { description })

/** external_refs and metadata: the two open maps of the contract. */
export const OpenMap = (description: string) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: limits.openMapKeyMaxLength },
    additionalProperties: { type: 'string', maxLength: limits.openMapValueMaxLength },
    maxProperties: limits.openMapMaxKeys,
    description,
  })

export const Page = <T extends TSchema>(row: T, description: string) =>
  View(
    {
      data: Type.Array(row),
      next_cursor: Nullable(Type.String({ description: 'Pass back verbatim as `cursor`.' })),
      has_more: Type.Boolean(),
    },
    description,
  )

export const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: limits.pageMin,
      maximum: limits.pageMax,
      default: limits.pageDefault,
      description: 'Most rows on a page. A short page does not mean the end.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: limits.cursorMaxLength,
      description: '`next_cursor` of the page before, verbatim. Tied to the other parameters.',
    }),
  ),
}

/** A comma list in a query. */
export const List = <T extends TSchema>(item: T, description: string) =>
  Type.Array(item, {
    minItems: 1,
    maxItems: limits.listFilterMaxValues,
    uniqueItems: false,
    description: `${description} A comma list takes several.`,
  })

/** A date, or a timestamp with Z or an offset. */
export const DateOrTimestamp = (description: string) =>
  Type.String({ format: 'date-or-time', description })
