/** The import of a file as a draft (contract 12). */
import { type Static, Type } from 'typebox'
import { importWarningCodes } from '../import-warnings.ts'
import { interopLimits } from '../interop-limits.ts'
import type { UploadedFile } from './attachments.ts'
import { Id, Nullable, StringEnum } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

export const DocumentImport = InputObject(
  {
    file: Type.Unsafe<UploadedFile>(
      Type.String({
        contentMediaType: 'application/octet-stream',
        description: `UBL, CII, a Factur-X PDF or CSV, at most ${interopLimits.importMaxBytes / 1024 / 1024} MiB; XML and CSV, also inside of a PDF, ${interopLimits.importTextMaxBytes / 1024 / 1024} MiB.`,
      }),
    ),
    connection_id: Id('con', 'The connection to the buyer.'),
  },
  'A form with a file that becomes a draft.',
)

const ImportWarning = OutputObject(
  {
    code: StringEnum(importWarningCodes, 'What it is about.'),
    field: Type.String({
      description: 'Of the draft, or what was compared with it.',
      examples: ['counterparty.vat_id'],
    }),
    message: Type.String(),
    file: Nullable(Type.String({ description: 'What the file says; null if nothing.' })),
    record: Type.String({ description: 'What the record says, the id of a document, or a bound.' }),
  },
  'What to look at before the draft is issued.',
)
export type ImportWarning = Static<typeof ImportWarning>

export const ImportReport = OutputObject(
  {
    format: StringEnum(['ubl', 'cii', 'facturx', 'csv'], 'What the file is.'),
    understood: Type.Array(
      OutputObject(
        {
          field: Type.String({ examples: ['due_date', 'line_items[0].quantity'] }),
          term: Type.String({ description: 'Of EN 16931.', examples: ['BT-9'] }),
          value: Type.String({ description: 'As the file has it.' }),
        },
        'A field of the draft, or one that was compared with it.',
      ),
      {
        description: `Header, seller, buyer, totals and taxes, then line by line; at most ${interopLimits.importUnderstoodMaxEntries}. If there are more, the last entry names the lines that are left off.`,
      },
    ),
    ignored: Type.Array(
      OutputObject(
        {
          source: Type.String({ examples: ['Invoice/ContractDocumentReference/ID'] }),
          value: Type.String(),
        },
        'What the draft has no place for.',
      ),
      { description: `At most ${interopLimits.importReportMaxEntries}, shortened.` },
    ),
    warnings: Type.Array(ImportWarning, {
      description: 'What was taken as it is, and may not be meant.',
    }),
  },
  'What became of the file.',
)
export type ImportReport = Static<typeof ImportReport>
