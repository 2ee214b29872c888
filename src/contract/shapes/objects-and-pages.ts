/** What fields stand in: bodies, answers, pages, and the parameters and filters of a list. */
import { type TSchema, Type } from 'typebox'
import { limits } from '../limits.ts'
import { Nullable } from './field-types.ts'

/** A request body: nothing but what is listed. */
export const InputObject = <T extends Record<string, TSchema>>(fields: T, description: string) =>
  Type.Object(fields, { additionalProperties: false, description })

/** An answer: clients ignore fields that they do not know. */
export const OutputObject = <T extends Record<string, TSchema>>(fields: T, description: string) =>
  Type.Object(fields, { description })

export const PageOf = <T extends TSchema>(row: T, description: string) =>
  OutputObject(
    {
      data: Type.Array(row),
      next_cursor: Nullable(Type.String({ description: 'Pass back verbatim as `cursor`.' })),
      has_more: Type.Boolean(),
    },
    description,
  )

export const pageParameters = {
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
export const CommaList = <T extends TSchema>(item: T, description: string) =>
  Type.Array(item, {
    minItems: 1,
    maxItems: limits.listFilterMaxValues,
    uniqueItems: false,
    description: `${description} A comma list takes several.`,
  })
