/** The calls of this tab, newest first. */
import { Link } from '@tanstack/react-router'
import { curlOf } from '../api/curl.ts'
import { type MadeCall, madeCallsMost } from '../api/made-calls.ts'
import { isAdmin } from '../api/permissions.ts'
import { useSession } from '../api/session.ts'
import { toneOf } from '../developers/status-tone.ts'
import { IconButton } from '../design/button.tsx'
import { Time } from '../design/format.tsx'
import { copyText } from '../design/copy-text.ts'
import { Status } from '../design/status.tsx'
import { useMadeCalls } from './use-made-calls.ts'

export const MadeRequests = () => {
  const session = useSession()
  const calls = useMadeCalls()
  const cut = (calls[0]?.place ?? 0) - calls.length
  return (
    <>
      <p className="mb-3 max-w-[80ch] text-sm text-pretty text-muted">
        The calls of this tab, without bodies, kept until it is closed.{' '}
        {cut > 0 && `The latest ${madeCallsMost} are kept; ${cut} before them are not. `}
        {isAdmin(session) && (
          <Link
            to="/o/$org/requests"
            params={{ org: session.organization.id }}
            className="text-accent underline"
          >
            All requests of the organization
          </Link>
        )}
      </p>
      <table className="w-full border-collapse text-left max-md:-mx-3 max-md:w-[calc(100%+1.5rem)]">
        <caption className="sr-only">Requests of this tab, newest first</caption>
        <thead>
          <tr className="border-b border-line text-sm text-muted">
            <th scope="col" className="py-1.5 font-normal">
              Call
            </th>
            <th scope="col" className="px-3 py-1.5 font-normal">
              Status
            </th>
            <th scope="col" className="px-3 py-1.5 text-right font-normal max-md:hidden">
              Took
            </th>
            <th scope="col" className="px-3 py-1.5 text-right font-normal max-md:hidden">
              When
            </th>
            <th scope="col" className="w-8">
              <span className="sr-only">Copy</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <CallRow key={call.place} call={call} />
          ))}
        </tbody>
      </table>
    </>
  )
}

const CallRow = ({ call }: { call: MadeCall }) => {
  const { method, url, status, ms, requestId, at } = call
  const session = useSession()
  const isLogged = requestId && url.startsWith('/v1/') && isAdmin(session)
  const name = (
    <code className="font-mono text-xs break-all">
      {method} {url}
    </code>
  )
  return (
    <tr className="border-b border-line last:border-0">
      <td className="py-1.5">
        {isLogged ? (
          <Link
            to="/o/$org/requests"
            params={{ org: session.organization.id }}
            search={{ request: requestId }}
            title="Show it in the request log"
            className="inline-block min-h-6 hover:text-accent"
          >
            {name}
          </Link>
        ) : (
          name
        )}
        {status >= 400 && requestId && (
          <code className="block font-mono text-xs break-all text-muted">{requestId}</code>
        )}
      </td>
      <td className="px-3 py-1.5">
        <Status tone={toneOf(status)}>{status === 0 ? 'No answer' : String(status)}</Status>
      </td>
      <td className="px-3 py-1.5 text-right max-md:hidden">{ms} ms</td>
      <td className="px-3 py-1.5 text-right max-md:hidden">
        <Time at={at} isExact />
      </td>
      <td>
        <IconButton
          icon="copy"
          label={`Copy ${method} ${url} as curl`}
          onClick={() => void copyText(curlOf({ method, url }), 'Copied as curl')}
        />
      </td>
    </tr>
  )
}
