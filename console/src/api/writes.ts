/** Writes: one Idempotency-Key for one intention, kept until it succeeds. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type Changed, readChanged } from './changes.ts'
import { ApiError, type CallOptions, callForReply, freshKey } from './call.ts'
import { currentSession } from './session.ts'
import { intentionOf, keepWaiting, stopWaiting, waitingKey } from './waiting-writes.ts'

export interface Write extends Pick<CallOptions, 'body' | 'ifMatch' | 'dryRun'> {
  method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
}

export interface Written<Body> {
  body: Body
  /** The same request had succeeded before. */
  isReplay: boolean
}

/** Sends a write, with the key under which it waits for an approval if it does. */
export const sendWrite = async <Body>(
  { method = 'POST', path, ...options }: Write,
  freshOne: string,
): Promise<Written<Body>> => {
  const intention = intentionOf(currentSession()?.user.id ?? '', method, path, options.body)
  const idempotencyKey = waitingKey(intention) ?? freshOne
  try {
    const reply = await callForReply<Body>(method, path, { ...options, idempotencyKey })
    if (options.dryRun !== true) stopWaiting(intention)
    return { body: reply.body, isReplay: reply.headers.get('idempotent-replay') === 'true' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const until = error.approval?.expires_at ?? null
    if (until !== null) keepWaiting(intention, { idempotencyKey, until })
    else if (endsApproval(error)) stopWaiting(intention)
    throw error
  }
}

const endsApproval = ({ reason }: ApiError): boolean =>
  ['approval_stale', 'approval_declined', 'approval_expired'].includes(reason ?? '')

/** What else it has changed is told by the stream. */
const documentOf = (path: string): Changed => {
  const id = /^\/v1\/documents\/(doc_\w+)/.exec(path)?.[1]
  return id === undefined ? null : new Set([id])
}

/** So long after a success the same write is the same press, of a key that is held or pressed twice. */
const samePressMs = 1_000

/** Of whichever revision: the first press has made a newer one. */
const pressOf = ({ method, path, body }: Write): string => JSON.stringify([method, path, body])

/**
 * The key is made when the form opens, so that a double click, and a retry after a lost response,
 * is one request. Only a success ends the intention. While it is sent, it is not sent once more: the
 * service would refuse that, and the refusal would stand where the result belongs.
 */
export const useWrite = <Body>(onSuccess?: (written: Written<Body>) => void) => {
  const cache = useQueryClient()
  const [idempotencyKey, setIdempotencyKey] = useState(freshKey)
  const isSending = useRef(false)
  const done = useRef({ press: '', atMs: 0 })
  const write = useMutation<Written<Body>, ApiError, Write>({
    mutationFn: (write) => sendWrite<Body>(write, idempotencyKey),
    onError: (error, { dryRun }) => {
      // The key now belongs to the approval: what is sent otherwise needs another.
      if (error.approval !== undefined || endsApproval(error)) setIdempotencyKey(freshKey())
      // What it was about has changed since it was read.
      if (dryRun !== true && [409, 412].includes(error.status)) void cache.invalidateQueries()
    },
    onSuccess: (written, { path, dryRun }) => {
      if (dryRun !== true) {
        setIdempotencyKey(freshKey())
        void readChanged(cache, documentOf(path), { isOwn: true })
      }
      onSuccess?.(written)
    },
    onSettled: (_written, error, write) => {
      if (write.dryRun === true) return
      isSending.current = false
      if (error === null) done.current = { press: pressOf(write), atMs: performance.now() }
    },
  })
  const mutate: typeof write.mutate = (wanted, options) => {
    if (wanted.dryRun !== true) {
      const isSamePress =
        performance.now() - done.current.atMs < samePressMs &&
        pressOf(wanted) === done.current.press
      if (isSamePress) done.current.atMs = performance.now()
      if (isSending.current || isSamePress) return
      isSending.current = true
    }
    write.mutate(wanted, options)
  }
  const { mutateAsync: _unbounded, ...others } = write
  return { ...others, mutate }
}

/** Each call is an intention of its own, so that two quick ones do not share an Idempotency-Key. */
export const useIndependentWrites = <Body>() => {
  const cache = useQueryClient()
  return useMutation<Written<Body>, ApiError, Write>({
    mutationFn: (write) => sendWrite<Body>(write, freshKey()),
    onSuccess: (_written, { path }) => void readChanged(cache, documentOf(path), { isOwn: true }),
  })
}
