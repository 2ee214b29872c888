/** Files on their way to a document and back. */
import { type Reply, type Running, ask } from '../service.ts'

/** A form with one file. */
export const aForm = (name = 'note.txt', content = 'A note.', type = 'text/plain'): FormData => {
  const form = new FormData()
  form.append('file', new Blob([content], { type }), name)
  return form
}

export const attachingOn = (running: Running) => ({
  pathOf: ({ id }: { id: string }) => `/v1/documents/${id}/attachments`,

  upload: (path: string, key: string, form = aForm(), headers = {}): Promise<Reply> =>
    ask(running, 'POST', path, { key, body: form, headers }),

  download: (url: string, init: RequestInit = {}) =>
    fetch(running.base + new URL(url).pathname, init),
})
