/** One call: who made it, what was answered, and the document and the events that it left behind. */
import { Link } from '@tanstack/react-router'
import { curlOf } from '../api/curl.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord, Event, RequestLogDetail } from '../api/types.ts'
import Dialog from '../design/dialog.tsx'
import { Time } from '../design/format.tsx'
import { CopyText, Fact, Region } from '../design/layout.tsx'
import { Status } from '../design/status.tsx'
import { toneOf } from './status-tone.ts'
import { CallerName } from './caller-name.tsx'

interface RequestDialogProps {
  id: string
  onClose: () => void
}

/** A row of the log never changes, and what it names hardly does. */
const once = { refetchEveryMs: false } as const

/** A bulk write may have more of them than anybody reads. */
const shownEventsMost = 10

const RequestDialog = ({ id, onClose }: RequestDialogProps) => {
  const read = useRead<RequestLogDetail>(`/v1/requests/${id}`, {}, once)
  return (
    <Dialog title="Request" onClose={onClose} size="large">
      <Region read={read}>
        {(request) => (
          <>
            <Facts request={request} />
            {request.error && <Reason error={request.error} />}
          </>
        )}
      </Region>
    </Dialog>
  )
}

export default RequestDialog

const Facts = ({ request }: { request: RequestLogDetail }) => {
  const { method, path, status, original_request_id: original, document_id, event_ids } = request
  const org = useSession().organization.id
  return (
    <dl className="rounded-md border border-line px-4 py-2">
      <Fact term="Call">
        <code className="font-mono text-xs break-all">
          {method} {path}
        </code>
      </Fact>
      <Fact term="Id">
        <CopyText text={request.id} label="the request id" />
      </Fact>
      <Fact term="Status">
        <Status tone={toneOf(status)}>{String(status)}</Status>
      </Fact>
      <Fact term="When">
        <Time at={request.created_at} isExact />, in {request.duration_ms} ms
      </Fact>
      <Fact term="By">
        <CallerName {...request} />
        {request.address && ` from ${request.address}`}
      </Fact>
      {request.idempotency_key && <Fact term="Idempotency-Key">{request.idempotency_key}</Fact>}
      {original && (
        <Fact term="Replay of">
          <Link
            to="/o/$org/requests"
            params={{ org }}
            search={{ request: original }}
            className="inline-block min-h-6 font-mono text-xs break-all text-accent"
          >
            {original}
          </Link>
        </Fact>
      )}
      {document_id && (
        <Fact term="Document">
          <DocumentLink id={document_id} />
        </Fact>
      )}
      {event_ids.length > 0 && (
        <Fact term="Events">
          <ul>
            {event_ids.slice(0, shownEventsMost).map((id) => (
              <li key={id}>
                <EventLink id={id} />
              </li>
            ))}
          </ul>
          {event_ids.length > shownEventsMost && `and ${event_ids.length - shownEventsMost} more`}
        </Fact>
      )}
      <Fact term="Again">
        <CopyText text={curlOf({ method, url: path })} label="the call as curl" />
      </Fact>
    </dl>
  )
}

const DocumentLink = ({ id }: { id: string }) => {
  const org = useSession().organization.id
  const { data } = useRead<DocumentRecord>(`/v1/documents/${id}`, {}, once)
  return (
    <Link
      to="/o/$org/documents/$document"
      params={{ org, document: id }}
      search={{}}
      className="inline-block min-h-6 break-all text-accent"
    >
      {data === undefined ? id : `${data.label} ${data.number}`}
    </Link>
  )
}

/** The deliveries of an event are shown with it. */
const EventLink = ({ id }: { id: string }) => {
  const org = useSession().organization.id
  const { data } = useRead<Event>(`/v1/events/${id}`, {}, once)
  return (
    <Link
      to="/o/$org/events"
      params={{ org }}
      search={{ event: id }}
      className="inline-block min-h-6 break-all text-accent"
    >
      {data?.type ?? id} and its deliveries
    </Link>
  )
}

const Reason = ({ error }: { error: NonNullable<RequestLogDetail['error']> }) => (
  <div className="mt-4">
    <p className="font-medium">
      {error.code}: {error.message}
    </p>
    <ul className="mt-2 list-disc pl-5 text-muted">
      {error.problems.map((problem) => (
        <li key={problem.param + problem.code}>
          <code className="font-mono text-xs">{problem.param}</code> {problem.message}
        </li>
      ))}
    </ul>
  </div>
)
