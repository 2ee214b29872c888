/** What was sent: the body of a delivery to the byte, and the headers of each attempt. */
import { requestAsCurl } from './request-as-curl.ts'
import type { DeliveryWithAttempts } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { copyText } from '../design/copy-text.ts'
import { VerifyAttempt } from './verify-attempt.tsx'

const copy = (text: string) => void copyText(text)

export const SentBody = ({ body }: { body: string | null }) =>
  body === null ? (
    <p className="mt-3 text-muted">The event is gone, so its body cannot be shown.</p>
  ) : (
    <section aria-label="Body" className="mt-3">
      <header className="mb-2 flex items-center justify-between">
        <h3 className="font-semibold">
          Body <span className="text-sm font-normal text-muted">identical in every attempt</span>
        </h3>
        <Button icon="copy" onClick={() => copy(body)}>
          Copy the body
        </Button>
      </header>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls
        tabIndex={0}
        className="max-h-40 overflow-auto rounded-md border border-line bg-canvas p-3 font-mono text-xs break-all whitespace-pre-wrap"
      >
        {body}
      </pre>
    </section>
  )

interface SentHeadersProps {
  attempt: DeliveryWithAttempts['attempts'][number]
  /** Undefined until the endpoint is known. */
  url: string | undefined
  body: string | null
}

export const SentHeaders = ({ attempt, url, body }: SentHeadersProps) => {
  const { request_headers: headers, number } = attempt
  if (headers === null) return null
  const signature = headers['svc-signature']
  return (
    <>
      <details className="mt-2 text-sm">
        <summary className="min-h-6 cursor-pointer leading-6 text-muted">Request headers</summary>
        <HeaderLines headers={headers} />
        {url !== undefined && body !== null && (
          <Button
            icon="copy"
            aria-label={`Copy as curl, attempt ${number}`}
            onClick={() => copy(requestAsCurl({ url, headers, body }))}
          >
            Copy as curl
          </Button>
        )}
      </details>
      {signature !== undefined && body !== null && (
        <VerifyAttempt number={number} header={signature} body={body} />
      )}
    </>
  )
}

export const HeaderLines = ({ headers }: { headers: Record<string, string> }) => (
  <pre className="my-1 overflow-x-auto font-mono text-xs break-all whitespace-pre-wrap">
    {Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}
  </pre>
)
