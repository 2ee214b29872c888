/** `</>`: the calls behind this page, ready for a terminal. */
import { useQueryClient } from '@tanstack/react-query'
import { curlOf } from '../api/curl.ts'
import { pageReads } from '../api/page-reads.ts'
import { Button } from '../design/button.tsx'
import Dialog from '../design/dialog.tsx'
import { notify } from '../design/notices.tsx'
import { useMadeCalls } from '../workbench/use-made-calls.ts'

const ApiCalls = ({ onClose }: { onClose: () => void }) => {
  const reads = pageReads(useQueryClient()).map(({ url }) => ({ method: 'GET', url }))
  const writes = useMadeCalls()
    .filter(({ method, page }) => method !== 'GET' && page === location.pathname)
    .toReversed()
  const calls = new Set([...reads, ...writes].map(curlOf))
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
            <Button
              className="mt-2"
              icon="copy"
              onClick={() => void navigator.clipboard.writeText(text).then(() => notify('Copied'))}
            >
              Copy
            </Button>
          </li>
        ))}
      </ul>
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
