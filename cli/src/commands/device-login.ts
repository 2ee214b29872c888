/**
 * `docex login --device`: the person approves in a browser, here or on another machine, and types
 * no secret (RFC 8628). Only the profile has the session, so it ends with the profile.
 */
import { hostname } from 'node:os'
import { pause } from '../../../sdk/src/attempt.ts'
import { type Client, createClient } from '../../../sdk/src/client.ts'
import { ApiError, ConnectionError } from '../../../sdk/src/errors.ts'
import { CredentialsError } from '../failures.ts'
import { cliVersion } from '../generated/version.ts'
import type { Io } from '../io.ts'
import { note } from '../output.ts'
import type { Profile } from '../profiles.ts'

interface StartedCodes {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

interface DeviceSession {
  token: string
  expires_at: string
}

/** A session that a person has approved. */
export const openDeviceSession = async (io: Io, baseUrl: string): Promise<DeviceSession> => {
  const client = clientWithoutCredential(baseUrl)
  const post = <Body>(path: string, body: object): Promise<Body> =>
    client.json<Body>({ method: 'POST', path, body }, { signal: io.signal })
  const codes = await post<StartedCodes>('/auth/device', {})
  note(io, `Open ${codes.verification_uri} and enter the code ${codes.user_code}`)
  note(io, `or open ${codes.verification_uri_complete}`)
  const endsAt = performance.now() + codes.expires_in * 1000
  let { interval } = codes
  while (performance.now() < endsAt) {
    await pause(Math.min(interval * 1000, endsAt - performance.now()), io.signal)
    try {
      const body = { device_code: codes.device_code }
      return await post<DeviceSession>('/auth/device/token', body)
    } catch (error) {
      interval = nextInterval(error, interval)
    }
  }
  throw new CredentialsError(
    'Nobody has approved the code in time: run docex login --device again.',
  )
}

/** The profile is gone already, so whatever keeps its session from being ended is only said. */
export const endDeviceSession = async (io: Io, name: string, profile: Profile): Promise<void> => {
  const { base_url: baseUrl, api_key: apiKey, session_ends_at: endsAt } = profile
  const client = createClient({ baseUrl, apiKey })
  try {
    await client.json({ method: 'DELETE', path: '/auth/session' }, { signal: io.signal })
  } catch (error) {
    const hasEnded = error instanceof ApiError && error.code === 'unauthorized'
    if (!hasEnded) {
      const until = `it ends by itself at ${endsAt}`
      return note(io, `The session of profile ${name} could not be ended: ${until}.`)
    }
  }
  note(io, `The session of profile ${name} has ended.`)
}

/** Nobody is known yet, so nothing is said about who calls. */
const clientWithoutCredential = (baseUrl: string): Client =>
  createClient({
    baseUrl,
    apiKey: 'none',
    fetch: (url, init) => {
      const headers = new Headers(init.headers)
      headers.delete('authorization')
      // The person who approves sees it.
      headers.set('user-agent', `docex-cli/${cliVersion} (${hostname()})`)
      return fetch(url, { ...init, headers })
    },
  })

/** How much a program that polled too early slows down, unless the service says. */
const slowerSeconds = 5

/** How many seconds to wait before the next poll; throws what is final. */
const nextInterval = (error: unknown, interval: number): number => {
  if (error instanceof ConnectionError) return interval * 2
  if (!(error instanceof ApiError)) throw error
  // The code is as good as before, and the person may have approved it.
  if (error.headers.get('svc-should-retry') === 'true') return interval * 2
  const details = error.code === 'conflict' ? error.details : undefined
  const { reason, interval: told } = (details ?? {}) as { reason?: string; interval?: number }
  if (reason === 'authorization_pending') return told ?? interval
  if (reason === 'slow_down') return told ?? interval + slowerSeconds
  throw error
}
