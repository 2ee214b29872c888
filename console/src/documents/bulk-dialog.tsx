/** One action on many documents: first a dry run of each, then one question, then the outcome of each. */
import { useQueryClient } from '@tanstack/react-query'
import { memo, useEffect, useRef, useState } from 'react'
import { type ApiError, freshKey } from '../api/call.ts'
import { inParallel } from '../api/in-parallel.ts'
import type { DocumentRecord } from '../api/types.ts'
import { sendWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'
import { Money } from '../design/format.tsx'
import { moneyText } from '../design/money.ts'
import { Status } from '../design/status.tsx'
import { ApprovalLink } from '../design/waits-for-approval.tsx'
import { partyOf, titleOf } from './document-names.ts'

type Action = 'issue' | 'approve'

interface BulkDialogProps {
  action: Action
  documents: readonly DocumentRecord[]
  /** More match than can be selected at once. */
  isCut: boolean
  onClose: () => void
}

interface Row {
  document: DocumentRecord
  /** One for each row: a repeat of the whole doubles nothing. */
  idempotencyKey: string
  /** Undefined while it is being checked. */
  refusal: ApiError | null | undefined
  isDone: boolean
}

const send = ({ document, idempotencyKey }: Row, action: Action, dryRun: boolean) => {
  const options = { dryRun, ifMatch: document.revision }
  const path = `/v1/documents/${document.id}`
  if (action === 'issue') return sendWrite({ ...options, path: `${path}/issue` }, idempotencyKey)
  const to = ['invoice', 'credit_note'].includes(document.document_type) ? 'approved' : 'accepted'
  return sendWrite({ ...options, path: `${path}/transition`, body: { to } }, idempotencyKey)
}

/** A service that is busy has not decided: the same is sent again, with its key. */
const attemptsMost = 4
const pauseMs = 1_000

const outcomeOf = async (row: Row, action: Action, dryRun: boolean): Promise<ApiError | null> => {
  for (let attempt = 1; ; attempt += 1) {
    const refusal = await send(row, action, dryRun).then(
      () => null,
      (error: ApiError) => error,
    )
    const isBusy = refusal !== null && refusal.isUndecided && refusal.status !== 0
    if (!isBusy || attempt === attemptsMost) return refusal
    await new Promise((resolve) => setTimeout(resolve, attempt * pauseMs))
  }
}

const BulkDialog = ({ action, documents, isCut, onClose }: BulkDialogProps) => {
  const cache = useQueryClient()
  const [rows, setRows] = useState<Row[]>(() =>
    documents.map((document) => ({
      document,
      idempotencyKey: freshKey(),
      refusal: undefined,
      isDone: false,
    })),
  )
  const [step, setStep] = useState<Step>('checking')

  const isStopped = useRef(false)
  const work = async (chosen: readonly Row[], dryRun: boolean) => {
    await inParallel(chosen, async (row) => {
      // Also by whoever leaves, and would see no outcome.
      if (isStopped.current) return
      const { idempotencyKey } = row
      const refusal = await outcomeOf(row, action, dryRun)
      setRows((all) =>
        all.map((other) =>
          other.idempotencyKey === idempotencyKey
            ? { ...other, refusal, isDone: !dryRun && refusal === null }
            : other,
        ),
      )
    })
    setRows((all) => all.toSorted((a, b) => Number(isRefused(b)) - Number(isRefused(a))))
  }
  useEffect(() => {
    void work(rows, true).then(() => setStep('asking'))
    return () => void (isStopped.current = true)
  }, [])

  const possible = rows.filter(isPossible)
  // What never arrived can be sent again, with the same keys.
  const isOver = step === 'sent' && possible.length === 0
  const verb = action === 'issue' ? 'Issue' : 'Approve'
  const confirm = async () => {
    setStep('sending')
    isStopped.current = false
    await work(possible, false)
    setStep(isStopped.current ? 'stopped' : 'sent')
    await cache.invalidateQueries()
  }
  return (
    <Dialog
      title={`${verb} ${countText(rows.length)}`}
      lead={leadOf(step, possible.length, rows.length) + (isCut ? cutText : '')}
      onClose={onClose}
      size="large"
    >
      <progress
        aria-label="Progress"
        className="mb-3 h-1 w-full"
        max={rows.length}
        value={
          step === 'checking'
            ? rows.filter(({ refusal }) => refusal !== undefined).length
            : rows.length - possible.length
        }
      />
      <ul
        className="max-h-[45vh] divide-y divide-line overflow-y-auto rounded-md border border-line"
        tabIndex={0}
        aria-label="Documents"
      >
        {rows.map((row) => (
          <RowItem key={row.document.id} row={row} />
        ))}
      </ul>
      <DialogActions>
        {step === 'sending' ? (
          <Button onClick={() => (isStopped.current = true)}>Stop</Button>
        ) : (
          <Button key={String(isOver)} autoFocus={isOver} onClick={onClose}>
            {isOver || step === 'stopped' ? 'Close' : 'Not now'}
          </Button>
        )}
        {!isOver && (
          <Button
            kind="primary"
            data-first
            disabledReason={refusalOf(step, possible.length)}
            onClick={() => void confirm()}
          >
            {`${verb} ${possible.length} · ${sumsOf(possible)}`}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

export default BulkDialog

type Step = 'checking' | 'asking' | 'sending' | 'stopped' | 'sent'

/** One of hundreds, so only the one that has changed is drawn again. */
const RowItem = memo(({ row }: { row: Row }) => (
  <li className="grid gap-x-4 px-3 py-2 [content-visibility:auto] [contain-intrinsic-size:auto_1.25rem] sm:grid-cols-[1fr_auto]">
    <span>
      {titleOf(row.document)} · <bdi>{partyOf(row.document)}</bdi> ·{' '}
      <Money amount={row.document.total} currency={row.document.currency} />
    </span>
    <RowState row={row} />
    {row.refusal && <RowRefusal refusal={row.refusal} />}
  </li>
))

const cutText = ' More match than can be selected at once: do the others after these.'

const leadOf = (step: Step, possible: number, all: number): string => {
  if (step === 'checking') return 'Each is checked first, without any effect.'
  if (step === 'sending') return 'They are being sent. If you stop, the others stay as they are.'
  if (step === 'stopped') return `Stopped: ${countText(possible)} stay as they are.`
  if (step === 'sent')
    return possible === 0
      ? 'Done. What was refused is listed with its reason.'
      : `${possible} did not arrive. Sending them again doubles nothing.`
  return possible === all
    ? 'All of them can be done.'
    : `${possible} of ${all} can be done; the others say why not.`
}

const refusalOf = (step: Step, possible: number): string | undefined => {
  if (step === 'checking') return 'They are being checked.'
  if (step === 'sending') return 'They are being sent.'
  return possible === 0 ? 'None of them can be done.' : undefined
}

const countText = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`

/** Amounts of different currencies are never added up. */
const sumsOf = (rows: readonly Row[]): string => {
  const sums = new Map<DocumentRecord['currency'], number>()
  for (const { document } of rows)
    sums.set(
      document.currency,
      (sums.get(document.currency) ?? 0) + Math.round(document.total * 100),
    )
  return [...sums].map(([currency, cents]) => moneyText(cents / 100, currency)).join(' + ')
}

/** What needs an approval can be sent: that asks for it. What was not decided can be sent again. */
const isPossible = ({ refusal, isDone }: Row): boolean =>
  !isDone && (refusal === null || refusal?.approval?.id === null || (refusal?.isUndecided ?? false))

/** Among hundreds, it would not be found further down. */
const isRefused = ({ refusal }: Row): boolean => refusal != null && refusal.approval === undefined

const RowRefusal = ({ refusal }: { refusal: ApiError }) => (
  <span className="text-sm sm:col-span-2">
    {refusal.approval === undefined ? (
      <span className="text-red">{refusal.explanation}</span>
    ) : (
      <ApprovalLink approval={refusal.approval} />
    )}
  </span>
)

const RowState = ({ row }: { row: Row }) => {
  if (row.isDone) return <Status tone="good">Done</Status>
  if (row.refusal === undefined) return <Status tone="neutral">Checking</Status>
  if (row.refusal?.approval !== undefined) return <Status tone="waiting">Needs approval</Status>
  return row.refusal === null ? (
    <Status tone="accent">Possible</Status>
  ) : (
    <Status tone="bad">Refused</Status>
  )
}
