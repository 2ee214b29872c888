/** Sends an event to a receiver on this machine, signed as the service signs a delivery. */
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { signPayload } from '../../sdk/src/webhooks.ts'

export interface Attempt {
  number: number
  /** Null when no answer came. */
  status: number | null
  duration_ms: number
  error: string | null
}

export interface Receiver {
  url: string
  /** `whsec_` and 32 bytes in base64. */
  secret: string
  /** The waits between the attempts of an event that is not answered with 2xx. */
  waitsMs: readonly number[]
  /** How often to try a receiver that is not there. It may be restarting, so it is waited for. */
  absentWaitMs: number
  /** For an answer. */
  timeoutMs: number
  signal: AbortSignal
}

/**
 * Attempts until a 2xx, or the last wait is over; a receiver that is not there is waited for.
 * Returns the last attempt, or undefined once the signal aborts.
 */
export const deliver = async (
  receiver: Receiver,
  event: { id: string },
  report: (attempt: Attempt) => void,
): Promise<Attempt | undefined> => {
  const body = JSON.stringify(event)
  const waits = [...receiver.waitsMs]
  for (let number = 1; !receiver.signal.aborted; number += 1) {
    const { isAbsent, ...attempt } = await attemptOnce(receiver, event.id, body, number)
    if (receiver.signal.aborted) return undefined
    report(attempt)
    const { status } = attempt
    if (status !== null && status >= 200 && status < 300) return attempt
    const wait = isAbsent ? receiver.absentWaitMs : waits.shift()
    if (wait === undefined) return attempt
    await sleep(wait, undefined, { signal: receiver.signal }).catch(() => undefined)
  }
  return undefined
}

/** Whoever takes an event and does not answer in time is there. */
type Outcome = Attempt & { isAbsent: boolean }

const attemptOnce = async (
  { url, secret, timeoutMs, signal }: Receiver,
  id: string,
  body: string,
  number: number,
): Promise<Outcome> => {
  const startedAt = performance.now()
  const timeout = AbortSignal.timeout(timeoutMs)
  const outcome = (status: number | null, error: string | null): Outcome => ({
    number,
    status,
    error,
    duration_ms: Math.round(performance.now() - startedAt),
    isAbsent: status === null && !timeout.aborted,
  })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: await headersOf(id, body, secret, number),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    await response.body?.cancel()
    return outcome(response.status, null)
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    const late = `no answer within ${timeoutMs / 1000} s`
    return outcome(null, timeout.aborted ? late : (cause?.code ?? message))
  }
}

/** The headers of contract 7, in both families of signatures. */
const headersOf = async (
  id: string,
  body: string,
  secret: string,
  attempt: number,
): Promise<Record<string, string>> => {
  const signature = await signPayload(body, secret)
  const [, seconds = '', hex = ''] = /^t=(\d+),(v1=.*)$/.exec(signature) ?? []
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const standard = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'user-agent': 'docex-cli',
    'svc-signature': signature,
    'svc-webhook-id': id,
    'svc-webhook-timestamp': seconds,
    'svc-webhook-signature': hex,
    'svc-delivery-attempt': String(attempt),
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${standard}`,
  }
}
