/** Uploads files to documents, and downloads them. */
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
