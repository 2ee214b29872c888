/** `</>`: the calls behind this page, ready for a terminal. */
import { useQueryClient } from '@tanstack/react-query'
import { needsSession } from '../api/calls-of-people.ts'
import { curlOf } from '../api/curl.ts'
import { pageReads } from '../api/page-reads.ts'
import { Button } from '../design/button.tsx'
import Dialog from '../design/dialog.tsx'
import { copyText } from '../design/copy-text.ts'
import { useMadeCalls } from '../workbench/use-made-calls.ts'

const ApiCalls = ({ onClose }: { onClose: () => void }) => {
  const reads = pageReads(useQueryClient()).map(({ url }) => ({ method: 'GET', url }))
  const writes = useMadeCalls()
    .filter(({ method, page }) => method !== 'GET' && page === location.pathname)
    .toReversed()
  const made = [...reads, ...writes]
  const calls = new Set(made.map(curlOf))
  return (
    <Dialog
      title="API calls of this page"
      lead="Everything you see here came from these calls, and what you did here went with them. A key with the scopes of your role gets the same."
      onClose={onClose}
      size="large"
    >
      <ul className="grid gap-3">
        {[...calls].map((text) => (
          <li key={text} className="rounded-md border border-line bg-canvas p-3">
            <pre className="overflow-x-auto font-mono text-xs break-all whitespace-pre-wrap">
              {text}
            </pre>
            <Button className="mt-2" icon="copy" onClick={() => void copyText(text)}>
              Copy
            </Button>
          </li>
        ))}
      </ul>
      {made.some(needsSession) && (
        <p className="mt-4 text-sm text-muted">
          What has <code className="font-mono text-xs">$DOCEX_SESSION_TOKEN</code> only signed-in
          people may call. Make such a token in Settings, Sessions.
        </p>
      )}
      <p className="mt-4 text-sm text-muted">
        Every field is described in the{' '}
        <a className="text-accent underline" href="/v1/docs">
          reference
        </a>
        .
      </p>
    </Dialog>
  )
}

export default ApiCalls
