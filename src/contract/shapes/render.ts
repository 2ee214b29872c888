/** Exports of documents (contract 4 and 12). */
import { Type } from 'typebox'
import { renderFormats } from '../render-formats.ts'
import { StringEnum } from './field-types.ts'
import { InputObject } from './objects.ts'

export const RenderQuery = InputObject(
  { format: Type.Optional(StringEnum(renderFormats, 'The format.')) },
  'The format of an export.',
)

export const RenderedDocument = Type.Unsafe<unknown>({
  description: 'The document in the requested format; JSON unless another one is asked for.',
})
