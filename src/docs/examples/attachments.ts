/** The delivery note attached to the invoice. */
import { type Example, exampleIds, page } from './ids.ts'

const attachment = {
  id: exampleIds.attachment,
  filename: 'delivery-note.pdf',
  content_type: 'application/pdf',
  size: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  uploaded_by: 'issuer',
  created_at: '2026-11-21T09:12:20.118Z',
}

const comment = {
  id: 'cmt_01kbm9sr4we6x9c1g3j5n7q0tv',
  text: 'Two shelves came with scratches: do not pay before they are replaced.',
  author: { kind: 'user', id: 'usr_01kbm9p2t8e4w9m5x7c1q3r6vz', name: 'Ada' },
  created_at: '2026-11-21T10:02:41.330Z',
}

export const attachmentExamples: Readonly<Record<string, Example>> = {
  'documents.comments.list': { response: page(comment) },
  'documents.comments.create': { body: { text: comment.text }, response: comment },
  'attachments.list': { response: page(attachment) },
  'attachments.create': { response: attachment },
  'attachments.get': {
    response: {
      ...attachment,
      download_url: 'https://exchange.example/files/kq3vJ0yT4mWn',
      expires_at: '2026-11-21T09:20:31.000Z',
    },
  },
}
