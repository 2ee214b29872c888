/** Attachments: the uploaded file and its record (contract 4). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { InputObject, PageOf, OutputObject, pageParameters } from './objects.ts'
import { Id, StringEnum, Timestamp } from './field-types.ts'

/** The metadata of a received file. */
export interface UploadedFile {
  filename: string
  content_type: string
  size: number
  /** Hexadecimal. */
  sha256: string
}

export const FileUpload = InputObject(
  {
    file: Type.Unsafe<UploadedFile>(
      Type.String({
        contentMediaType: 'application/octet-stream',
        description: `The file, with its filename and media type: at most ${limits.attachmentMaxBytes / 1024 / 1024} MiB, with a name of at most ${limits.filenameMaxLength} characters.`,
      }),
    ),
  },
  'A form (`multipart/form-data`) with one part, `file`.',
)

const attachmentFields = {
  id: Id('att', 'The attachment.'),
  filename: Type.String({ examples: ['delivery-note.pdf'] }),
  content_type: Type.String({
    description: 'As declared by the sender; the content is not inspected.',
    examples: ['application/pdf'],
  }),
  size: Type.Integer({ description: 'Size in bytes.' }),
  sha256: Type.String({ description: 'SHA-256 of the bytes, in hex.' }),
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
      description: 'Downloads the bytes. Anyone with this URL can use it, without a key.',
    }),
    expires_at: Timestamp('When the URL expires.'),
  },
  'An attachment with its download URL.',
)

export const AttachmentPage = PageOf(Attachment, 'Attachments, newest first.')

export const AttachmentFilters = InputObject(pageParameters, 'Paging.')
