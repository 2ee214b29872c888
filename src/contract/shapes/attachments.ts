/** Attachments: the file that is sent and what is shown of it (contract 4). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { InputObject, PageOf, OutputObject, pageParameters } from './objects-and-pages.ts'
import { Id, StringEnum, Timestamp } from './field-types.ts'

/** A file as it was received: what the record will say of it. */
export interface UploadedFile {
  filename: string
  content_type: string
  size: number
  /** In hex. */
  sha256: string
}

export const FileUpload = InputObject(
  {
    file: Type.Unsafe<UploadedFile>(
      Type.String({
        contentMediaType: 'application/octet-stream',
        description: `The file, with its filename and media type: at most ${limits.attachmentMaxBytes / 1024 / 1024} MiB, the name at most ${limits.filenameMaxLength} characters.`,
      }),
    ),
  },
  'A form of one file.',
)

const attachmentFields = {
  id: Id('att', 'The attachment.'),
  filename: Type.String({ examples: ['delivery-note.pdf'] }),
  content_type: Type.String({
    description: 'As the sender declared it; nobody looked inside.',
    examples: ['application/pdf'],
  }),
  size: Type.Integer({ description: 'In bytes.' }),
  sha256: Type.String({ description: 'Of the bytes, in hex.' }),
  uploaded_by: StringEnum(['issuer', 'counterparty'], 'The side that attached it.'),
  created_at: Timestamp('When it was attached.'),
}

export const Attachment = OutputObject(attachmentFields, 'A file that belongs to a document.')
export type Attachment = Static<typeof Attachment>

export const AttachmentLink = OutputObject(
  {
    ...attachmentFields,
    download_url: Type.String({
      format: 'uri',
      description: 'Gives the bytes to whoever has it, without a key.',
    }),
    expires_at: Timestamp('Until when the URL works.'),
  },
  'An attachment with a link to its bytes.',
)

export const AttachmentPage = PageOf(Attachment, 'Attachments, newest first.')

export const AttachmentFilters = InputObject(pageParameters, 'Which page.')
