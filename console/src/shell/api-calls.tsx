/** `</>`: the calls behind this page, ready for a terminal. */
import { useQueryClient } from '@tanstack/react-query'
import { type Query, urlOf } from '../api/call.ts'
import { curlOf } from '../api/curl.ts'
import { Button } from '../design/button.tsx'
import Dialog from '../design/dialog.tsx'
import { notify } from '../design/notices.tsx'

const ApiCalls = ({ onClose }: { onClose: () => void }) => {
  const cache = useQueryClient()
  const urls = cache
    .getQueryCache()
    .findAll({ type: 'active' })
    .map(({ queryKey }) => urlOf(queryKey[1] as string, queryKey[2] as Query))
  return (
    <Dialog
      title="API calls of this page"
      lead="Everything you see here came from these calls. A key with the scopes of your role gets the same."
      onClose={onClose}
      size="large"
    >
      <ul className="grid gap-3">
        {urls.map((url) => (
          <li key={url} className="rounded-md border border-line bg-canvas p-3">
            <pre className="overflow-x-auto font-mono text-xs break-all whitespace-pre-wrap">
              {curlOf({ url })}
            </pre>
            <Button
              className="mt-2"
              icon="copy"
              onClick={() =>
                void navigator.clipboard.writeText(curlOf({ url })).then(() => notify('Copied'))
              }
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
