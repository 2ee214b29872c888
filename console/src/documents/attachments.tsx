/** The files of a document. A download address works for some minutes, so it is asked for on a click. */
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiError, call } from '../api/call.ts'
import { useScopeRefusal } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import type { Attachment, AttachmentLink, DocumentRecord, Page } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Icon } from '../design/icon.tsx'
import { Panel, Refusal, Region } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { partyOf, sideOf } from './document-names.ts'

const sizeText = (bytes: number): string =>
  bytes < 1_000_000
    ? `${Math.max(1, Math.round(bytes / 1_000))} KB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`

export const Attachments = ({ document }: { document: DocumentRecord }) => {
  const path = `/v1/documents/${document.id}/attachments`
  const read = useRead<Page<Attachment>>(path, { limit: 100 })
  const cache = useQueryClient()
  const refusal = useScopeRefusal('documents:write')
  const field = useRef<HTMLInputElement>(null)
  const own = sideOf(document)
  const [error, setError] = useState<ApiError | null>(null)
  const [isSending, setIsSending] = useState(false)
  const attempt = async (work: () => Promise<unknown>) => {
    setError(null)
    await work().catch((refusal: ApiError) => setError(refusal))
  }
  const upload = async (file: File) => {
    const body = new FormData()
    body.set('file', file)
    setIsSending(true)
    await call('POST', path, { body }).finally(() => setIsSending(false))
    notify(`${file.name} is attached`)
    await cache.invalidateQueries()
  }
  const download = async (id: string) => {
    const { download_url } = await call<AttachmentLink>('GET', `${path}/${id}`)
    location.assign(download_url)
  }
  return (
    <Panel
      title="Attachments"
      aside={
        <>
          <input
            ref={field}
            type="file"
            className="sr-only"
            aria-label="File to attach"
            tabIndex={-1}
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) void attempt(() => upload(file))
              // Otherwise a browser says nothing when the same file is chosen again.
              target.value = ''
            }}
          />
          <Button
            kind="quiet"
            icon="paperclip"
            disabledReason={refusal ?? (isSending ? 'Sending' : undefined)}
            onClick={() => field.current?.click()}
          >
            Attach
          </Button>
        </>
      }
    >
      <div className="px-4 py-3">
        {error && <Refusal error={error} />}
        <Region read={read} skeleton="h-6">
          {({ data }) =>
            data.length === 0 ? (
              <p className="text-sm text-muted">
                Delivery notes, contracts and photos can be added by both sides.
              </p>
            ) : (
              <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
                {data.map(({ id, filename, size, uploaded_by }) => (
                  <li key={id}>
                    <button
                      type="button"
                      onClick={() => void attempt(() => download(id))}
                      className="flex w-full items-start gap-2 text-left hover:text-accent"
                    >
                      <Icon name="download" className="mt-0.5 text-muted" />
                      <span className="min-w-0 wrap-anywhere">
                        <bdi>{filename}</bdi>
                        <span className="block text-sm text-muted">
                          {uploaded_by === own ? 'You' : <bdi>{partyOf(document)}</bdi>} ·{' '}
                          {sizeText(size)}
                        </span>
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            )
          }
        </Region>
      </div>
    </Panel>
  )
}
