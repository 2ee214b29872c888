/** The PDF of a document, beside what the console shows of it. */
import { useEffect, useRef, useState } from 'react'
import { type ApiError, callForReply } from '../api/call.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Empty, Panel, Refusal } from '../design/layout.tsx'
import { Skeleton } from '../design/skeleton.tsx'

/** On a narrower screen it stands below all else. */
const besideTheData = '(min-width: 75rem)'

interface PdfPanelProps {
  document: DocumentRecord
  id: string
}

const PdfPanel = ({ document, id }: PdfPanelProps) => {
  const { url, error, retry } = usePdf(document)
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!matchMedia(besideTheData).matches) panel.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const title = `PDF of ${document.number ?? 'the draft'}`
  return (
    <div
      ref={panel}
      id={id}
      data-print="no"
      className="min-w-0 min-[75rem]:sticky min-[75rem]:top-20"
    >
      <Panel title="PDF" className="overflow-hidden">
        {error !== null && (
          <div className="p-4">
            <Refusal error={error} onRetry={retry} />
          </div>
        )}
        {error === null && !navigator.pdfViewerEnabled && (
          <Empty title="This browser shows no PDF in a page" isSmall>
            Download it, and open it in another program.
          </Empty>
        )}
        {error === null && navigator.pdfViewerEnabled && (
          <div className="h-[calc(100vh-9.375rem)] min-h-96 max-sm:max-h-[160vw]">
            {url === undefined ? (
              <Skeleton className="h-full" />
            ) : (
              <iframe
                title={title}
                src={`${url}#navpanes=0&view=FitH`}
                className="size-full bg-white"
              />
            )}
          </div>
        )}
      </Panel>
    </div>
  )
}

export default PdfPanel

/** Read with the session, which a frame could not send, and again when the document has changed. */
const usePdf = ({ id, updated_at }: DocumentRecord) => {
  const [attempt, setAttempt] = useState(0)
  const [shown, setShown] = useState<{ url?: string; error: ApiError | null }>({ error: null })
  useEffect(() => {
    if (!navigator.pdfViewerEnabled) return
    const reading = new AbortController()
    let url: string | undefined
    const read = async () => {
      const options = { query: { format: 'pdf' }, signal: reading.signal }
      const { bytes } = await callForReply('GET', `/v1/documents/${id}/render`, options)
      if (reading.signal.aborted) return
      url = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
      setShown({ url, error: null })
    }
    read().catch((error: ApiError) => {
      if (!reading.signal.aborted) setShown({ error })
    })
    return () => {
      reading.abort()
      setShown({ error: null })
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [id, updated_at, attempt])
  return { ...shown, retry: () => setAttempt(attempt + 1) }
}
