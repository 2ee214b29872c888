/** Containers of fields: request bodies, responses, pages and list parameters. */
import { type TSchema, Type } from 'typebox'
import { limits } from '../limits.ts'
import { Nullable, StringEnum } from './field-types.ts'

/** A request body. Unknown fields are refused. */
export const InputObject = <T extends Record<string, TSchema>>(fields: T, description: string) =>
  Type.Object(fields, { additionalProperties: false, description })

/** A response. Clients must ignore unknown fields. */
export const OutputObject = <T extends Record<string, TSchema>>(fields: T, description: string) =>
  Type.Object(fields, { description })

/** An object whose fields are not declared here, such as the parts of a proof. */
export const OpenObject = (description: string) =>
  Type.Object({}, { additionalProperties: true, description })

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
      description: 'Maximum rows per page. A shorter page is not necessarily the last.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: limits.cursorMaxLength,
      description:
        '`next_cursor` of the previous page, verbatim. Valid only with the same filters.',
    }),
  ),
}

/** The parameters of a list that can also be read in the order of changes. */
export const sweepParameters = {
  ...pageParameters,
  sort: Type.Optional(
    StringEnum(
      ['updated'],
      '`updated`: oldest change first, by `updated_at` and id. What changes while you read comes again at the end. Without it, newest first.',
    ),
  ),
}

/** A comma-separated list in a query. */
export const CommaList = <T extends TSchema>(item: T, description: string) =>
  Type.Array(item, {
    minItems: 1,
    maxItems: limits.listFilterMaxValues,
    uniqueItems: false,
    description: `${description} Separate several with commas.`,
  })
