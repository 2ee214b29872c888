/**
 * One write for each of many documents: first a dry run of each, then all of them, a few at once.
 * A service that is busy has not decided, so it is asked again with the same key. Once it wants to
 * know who the person is, nothing more is sent before that is shown, once for all.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { inParallel } from '../api/in-parallel.ts'
import type { DocumentRecord } from '../api/types.ts'
import { type Write, type Written, sendWrite } from '../api/writes.ts'

export interface BulkRow {
  document: DocumentRecord
  /** Undefined while it is not answered. */
  refusal: ApiError | null | undefined
  /** What has become of it. */
  done: Written<DocumentRecord> | undefined
}

export interface BulkAction {
  writeOf: (document: DocumentRecord) => Write
  /** One for each intention: a repeat of the whole doubles nothing. */
  keyOf: (document: DocumentRecord) => string
  /** Called before it is sent, and once it is decided. */
  onSend?: (document: DocumentRecord, key: string) => void
  onDecided?: (document: DocumentRecord) => void
}

export type Step = 'checking' | 'asking' | 'sending' | 'stopped' | 'sent'

/** Nothing is asked of the service now. */
export const isAtRest = (step: Step): boolean => step !== 'checking' && step !== 'sending'

export const useBulkWork = (documents: readonly DocumentRecord[], action: BulkAction) => {
  const cache = useQueryClient()
  const [rows, setRows] = useState<readonly BulkRow[]>(() => documents.map(unanswered))
  const [step, setStep] = useState<Step>('checking')
  /** Why the person has to show more of who it is, and what goes on then. */
  const [proof, setProof] = useState<{ error: ApiError; resume: () => void } | null>(null)
  const run = useRef(new AbortController())
  const latest = useRef(action)
  latest.current = action

  const begin = (): AbortSignal => {
    run.current.abort()
    run.current = new AbortController()
    setProof(null)
    return run.current.signal
  }
  const work = async (chosen: readonly BulkRow[], isDryRun: boolean, signal: AbortSignal) => {
    let wanted: ApiError | undefined
    await inParallel(chosen, async ({ document }) => {
      // Also by whoever leaves, and would see no outcome.
      if (signal.aborted || wanted !== undefined) return
      const { done, refusal } = await answerTo(latest.current, { document, isDryRun, signal })
      if (isDryRun && signal.aborted) return
      if (refusal?.isAboutSignIn === true || refusal?.status === 401) {
        wanted = refusal
        return
      }
      setRows((all) => replaced(all, { document, refusal, done: isDryRun ? undefined : done }))
    })
    if (wanted === undefined) setRows(failuresFirst)
    return wanted
  }
  const check = async (chosen: readonly BulkRow[]) => {
    const signal = begin()
    const known = new Set(chosen.map(({ document }) => document.id))
    setRows((all) =>
      all.map((row) => (known.has(row.document.id) ? unanswered(row.document) : row)),
    )
    setStep('checking')
    const error = await work(chosen, true, signal)
    if (signal.aborted) return
    if (error === undefined) setStep('asking')
    else setProof({ error, resume: () => void check(chosen) })
  }
  const send = async (chosen: readonly BulkRow[]) => {
    const signal = begin()
    setStep('sending')
    const error = await work(chosen, false, signal)
    if (error === undefined) setStep(signal.aborted ? 'stopped' : 'sent')
    else setProof({ error, resume: () => void send(chosen.filter(isUnsentIn(rowsNow.current))) })
    await cache.invalidateQueries()
  }
  const rowsNow = useRef(rows)
  rowsNow.current = rows
  useEffect(() => () => run.current.abort(), [])
  return { rows, setRows, step, proof, check, send, stop: () => run.current.abort() }
}

const unanswered = (document: DocumentRecord): BulkRow => ({
  document,
  refusal: undefined,
  done: undefined,
})

const replaced = (all: readonly BulkRow[], next: BulkRow): BulkRow[] =>
  all.map((row) => (row.document.id === next.document.id ? next : row))

const isUnsentIn = (rows: readonly BulkRow[]) => {
  const open = new Set(rows.filter(isPossible).map(({ document }) => document.id))
  return ({ document }: BulkRow): boolean => open.has(document.id)
}

/** What needs an approval can be sent: that asks for it. What was not decided can be sent again. */
export const isPossible = ({ refusal, done }: BulkRow): boolean =>
  done === undefined &&
  (refusal === null || refusal?.approval?.id === null || (refusal?.isUndecided ?? false))

/** Among hundreds, it would not be found further down. */
export const failuresFirst = (all: readonly BulkRow[]): BulkRow[] =>
  all.toSorted((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)))

/** Refused at once, or a moment later. */
export const hasFailed = (row: BulkRow): boolean =>
  isRefused(row) || row.done?.body.payment?.status === 'failed'

export const isRefused = ({ refusal }: BulkRow): boolean =>
  refusal != null && refusal.approval === undefined && !refusal.isUndecided

type Answer = Pick<BulkRow, 'done'> & { refusal: ApiError | null }

interface Asked {
  document: DocumentRecord
  isDryRun: boolean
  signal: AbortSignal
}

const answerTo = async (
  action: BulkAction,
  { document, isDryRun, signal }: Asked,
): Promise<Answer> => {
  const key = action.keyOf(document)
  const write = { ...action.writeOf(document), dryRun: isDryRun }
  if (!isDryRun) action.onSend?.(document, key)
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sendWrite<DocumentRecord>(write, key).then(
      (done): Answer => ({ done, refusal: null }),
      (refusal: ApiError): Answer => ({ done: undefined, refusal }),
    )
    const { refusal } = answer
    const pause = refusal === null ? undefined : pauseBefore(refusal, attempt)
    if (pause !== undefined && !signal.aborted) await waited(pause, signal)
    // What was stopped while it waited is not sent once more.
    if (pause === undefined || signal.aborted) {
      if (!isDryRun && !isOpen(refusal)) action.onDecided?.(document)
      return answer
    }
  }
}

/** Another tab, or the page before it was loaded again, may have sent the same just now. */
const isOpen = (refusal: ApiError | null): boolean =>
  refusal !== null && (refusal.isUndecided || refusal.reason === 'request_in_progress')

const attemptsMost = 4
/** Each of them waits for as long as the service asks for. */
const limitedAttemptsMost = 20
const pauseMs = 1_000

/** How long to wait before the same is sent again; undefined where it is not. */
const pauseBefore = (refusal: ApiError, attempt: number): number | undefined => {
  const { status, details } = refusal
  if (status === 429 && attempt < limitedAttemptsMost)
    return Math.max(pauseMs, Number(details['retry_after_seconds'] ?? 1) * 1_000)
  const isBusy = isOpen(refusal) && status !== 0
  return isBusy && attempt < attemptsMost ? attempt * pauseMs : undefined
}

const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
