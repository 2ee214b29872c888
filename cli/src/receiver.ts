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
  /** The waits between the attempts of an event that is answered with anything but 2xx. */
  waitsMs: readonly number[]
  /** How often to try a receiver that is not there. It may be restarting, so it is waited for. */
  absentWaitMs: number
  signal: AbortSignal
}

const timeoutMs = 15_000

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
    const attempt = await attemptOnce(receiver, event.id, body, number)
    if (receiver.signal.aborted) return undefined
    report(attempt)
    const { status } = attempt
    if (status !== null && status >= 200 && status < 300) return attempt
    const wait = status === null ? receiver.absentWaitMs : waits.shift()
    if (wait === undefined) return attempt
    await sleep(wait, undefined, { signal: receiver.signal }).catch(() => undefined)
  }
  return undefined
}

const attemptOnce = async (
  { url, secret, signal }: Receiver,
  id: string,
  body: string,
  number: number,
): Promise<Attempt> => {
  const startedAt = performance.now()
  const outcome = (status: number | null, error: string | null): Attempt => ({
    number,
    status,
    error,
    duration_ms: Math.round(performance.now() - startedAt),
  })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: await headersOf(id, body, secret, number),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await response.body?.cancel()
    return outcome(response.status, null)
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return outcome(null, cause?.code ?? message)
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
