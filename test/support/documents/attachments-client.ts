/** Uploads files to documents, and downloads them. */
import assert from 'node:assert/strict'
import { type Reply, callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'

/** A multipart form with one file. */
export const aFileForm = (
  name = 'note.txt',
  content = 'A note.',
  type = 'text/plain',
): FormData => {
  const form = new FormData()
  form.append('file', new Blob([content], { type }), name)
  return form
}

export const attachmentsClient = (running: TestService) => ({
  pathOf: ({ id }: { id: string }) => `/v1/documents/${id}/attachments`,

  upload: (path: string, key: string, form = aFileForm(), headers = {}): Promise<Reply> =>
    callApi(running, 'POST', path, { key, body: form, headers }),

  download: (url: string, init: RequestInit = {}) =>
    fetch(running.baseUrl + new URL(url).pathname, init),
})

/** Attaches pictures to a document; the media type that a sender gives says nothing. */
export const logoAttacher =
  (running: TestService, document: { id: string }) =>
  async (key: string, bytes: Buffer): Promise<{ id: string }> => {
    const { pathOf, upload } = attachmentsClient(running)
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(bytes)], { type: 'text/plain' }), 'logo')
    const { status, body, text } = await upload(pathOf(document), key, form)
    assert.equal(status, 201, text)
    return body
  }
