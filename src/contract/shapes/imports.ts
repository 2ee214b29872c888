/** The import of a file as a draft (contract 12). */
import { type Static, Type } from 'typebox'
import { interopLimits } from '../interop-limits.ts'
import type { UploadedFile } from './attachments.ts'
import { Id, StringEnum } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

export const DocumentImport = InputObject(
  {
    file: Type.Unsafe<UploadedFile>(
      Type.String({
        contentMediaType: 'application/octet-stream',
        description: `UBL, CII, a Factur-X PDF or CSV, at most ${interopLimits.importMaxBytes / 1024 / 1024} MiB.`,
      }),
    ),
    connection_id: Id('con', 'The connection to the buyer.'),
  },
  'A form with a file that becomes a draft.',
)

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
        description: `Header, seller, totals and taxes, then line by line; at most ${interopLimits.importUnderstoodMaxEntries}. If there are more, the last entry names the lines that are left off.`,
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
  },
  'What became of the file.',
)
export type ImportReport = Static<typeof ImportReport>
