/** Files on their way to a document and back. */
import { type Reply, type TestService, callApi } from '../service.ts'

/** A form with one file. */
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
