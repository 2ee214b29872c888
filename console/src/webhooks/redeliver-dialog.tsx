/** Sends many deliveries again: one question, one progress bar, and every refusal. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiError, freshKey } from '../api/call.ts'
import { inParallel } from '../api/in-parallel.ts'
import { sendWrite } from '../api/writes.ts'
import { Announced } from '../design/announcements.tsx'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'

interface RedeliverDialogProps {
  /** Of the endpoint. */
  path: string
  deliveries: readonly string[]
  onClose: () => void
}

interface Row {
  id: string
  /** One for each: a repeat of the whole doubles nothing. */
  idempotencyKey: string
  /** Undefined until it has been sent. */
  outcome?: 'done' | ApiError
}

const RedeliverDialog = ({ path, deliveries, onClose }: RedeliverDialogProps) => {
  const cache = useQueryClient()
  const [rows, setRows] = useState<readonly Row[]>(() =>
    deliveries.map((id) => ({ id, idempotencyKey: freshKey() })),
  )
  const [isSending, setIsSending] = useState(false)
  const waiting = rows.filter(({ outcome }) => outcome !== 'done')
  const refused = rows.filter(({ outcome }) => outcome !== undefined && outcome !== 'done')
  const hasStarted = isSending || waiting.length < rows.length || refused.length > 0
  const isDone = waiting.length === 0
  const send = async () => {
    setIsSending(true)
    await inParallel(waiting, async ({ id, idempotencyKey }) => {
      const write = { path: `${path}/deliveries/${id}/redeliver` }
      const outcome = await sendWrite(write, idempotencyKey).then(
        () => 'done' as const,
        (error: ApiError) => error,
      )
      setRows((all) => all.map((row) => (row.id === id ? { ...row, outcome } : row)))
    })
    setIsSending(false)
    await cache.invalidateQueries()
  }
  return (
    <Dialog
      title={`Send ${rows.length} deliveries again`}
      lead="Each goes out with the same bytes and the same event id, so that a receiver can recognize repeats."
      onClose={onClose}
    >
      {hasStarted && (
        <progress
          aria-label="Progress"
          className="h-1 w-full"
          max={rows.length}
          value={rows.length - waiting.length}
        />
      )}
      <Announced className="mt-2 text-muted">
        {!hasStarted
          ? ''
          : isDone
            ? `All ${rows.length} are on their way.`
            : `${rows.length - waiting.length} of ${rows.length} are on their way.`}
      </Announced>
      {refused.length > 0 && (
        <ul aria-label="Refused" className="mt-3 max-h-48 overflow-y-auto" tabIndex={0}>
          {refused.map(({ id, outcome }) => (
            <li key={id} className="border-t border-line py-1.5">
              <code className="font-mono text-xs">{id}</code>{' '}
              <span className="text-red">{(outcome as ApiError).explanation}</span>
            </li>
          ))}
        </ul>
      )}
      <DialogActions>
        <Button onClick={onClose}>{isDone ? 'Close' : 'Not now'}</Button>
        {!isDone && (
          <Button
            kind="primary"
            data-first
            isWrite
            disabledReason={isSending ? 'They are being sent.' : undefined}
            onClick={() => void send()}
          >
            {`Send ${waiting.length} again`}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

export default RedeliverDialog
