/** Exports of documents (contract 4 and 12). */
import { type Static, Type } from 'typebox'
import { checkedFormats, renderFormats } from '../render-formats.ts'
import { StringEnum } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

export const RenderQuery = InputObject(
  {
    format: Type.Optional(StringEnum(renderFormats, 'The format.')),
    proof: Type.Optional(
      StringEnum(
        ['1'],
        'With 1, the PDF carries the proof bundle and prints its digest; leave it out for none.',
      ),
    ),
  },
  'The format of an export.',
)

export const RenderedDocument = Type.Unsafe<unknown>({
  description: 'The document in the requested format; JSON unless another one is asked for.',
})

export const ChecksQuery = InputObject(
  {
    format: StringEnum(
      checkedFormats,
      'The format to check for. `json` and `csv` follow no rules of others; for a PDF with its data, check `facturx`.',
    ),
  },
  'The format of an export.',
)

const ExportProblem = OutputObject(
  {
    rule: Type.String({
      description:
        'As its publisher names it, the business term of what an export implies, or `PDF-FONT`.',
      examples: ['BR-S-02', 'BT-151', 'PDF-FONT'],
    }),
    field: Type.String({
      description: 'What to mend, in the profile of a party or in the document.',
      examples: ['issuer.vat_id', 'line_items.0.tax_category'],
    }),
    message: Type.String(),
    fatal: Type.Boolean({ description: 'Receivers refuse the document.' }),
  },
  'A rule that the export would break.',
)
export type ExportProblem = Static<typeof ExportProblem>

export const ExportChecks = OutputObject(
  { problems: Type.Array(ExportProblem) },
  'The rules that an export would break, none of them fatal if it can be sent, and what it says that the document does not.',
)
