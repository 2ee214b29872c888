/** One delivery with each of its attempts. */
import { useRead } from '../api/reads.ts'
import type { Delivery, DeliveryWithAttempts } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { Time } from '../design/format.tsx'
import { Refusal, Region } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { Status, StatusMark } from '../design/status.tsx'
import { AttemptTimings } from './attempt-timings.tsx'
import { NextAttempt } from './next-attempt.tsx'
import { HeaderLines, SentBody, SentHeaders } from './sent-request.tsx'

interface DeliveryDialogProps {
  path: string
  /** Of the endpoint; undefined until it is known. */
  url: string | undefined
  onClose: () => void
}

const DeliveryDialog = ({ path, url, onClose }: DeliveryDialogProps) => {
  const read = useRead<DeliveryWithAttempts>(path)
  const write = useWrite<Delivery>(() => {
    notify('It is sent again')
    onClose()
  })
  return (
    <Dialog title={read.data?.event_type ?? 'Delivery'} onClose={onClose} size="large">
      <Region read={read}>
        {(delivery) => (
          <>
            <StatusMark status={delivery.status} />
            <NextAttempt delivery={delivery} />
            <SentBody body={delivery.body} />
            <ol className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-3">
              {delivery.attempts.map((attempt) => (
                <li key={attempt.number} className="rounded-md border border-line p-3">
                  <p className="flex flex-wrap justify-between gap-2">
                    <Status tone={attempt.error === null ? 'good' : 'bad'}>
                      {`Attempt ${attempt.number}: ${attempt.response_status ?? attempt.error}`}
                    </Status>
                    <span className="text-sm text-muted">
                      {Math.round(attempt.duration_ms)} ms · <Time at={attempt.at} isExact />
                    </span>
                  </p>
                  <AttemptTimings {...attempt} />
                  <SentHeaders attempt={attempt} url={url} body={delivery.body} />
                  {attempt.response_headers && (
                    <details className="mt-2 text-sm">
                      <summary className="min-h-6 cursor-pointer leading-6 text-muted">
                        Response headers
                      </summary>
                      <HeaderLines headers={attempt.response_headers} />
                    </details>
                  )}
                  {attempt.response_body && (
                    <pre className="mt-2 overflow-x-auto font-mono text-xs whitespace-pre-wrap">
                      {attempt.response_body}
                    </pre>
                  )}
                </li>
              ))}
            </ol>
          </>
        )}
      </Region>
      {write.error && (
        <div className="mt-4">
          <Refusal error={write.error} />
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          kind="primary"
          data-first
          isWrite
          onClick={() => write.mutate({ path: `${path}/redeliver` })}
        >
          Send again
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export default DeliveryDialog
