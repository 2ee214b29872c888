/**
 * A token for a program, by the way that a program would go itself (RFC 8628): this browser asks for a
 * code, and its person approves it. So it needs what an approval needs, a recent sign-in and in live
 * a second factor: a stolen token of the browser cannot get one.
 */
import { call } from './call.ts'
import { approveCode, claimCode } from './device-codes.ts'

export interface CliToken {
  token: string
  expires_at: string
}

interface StartedCode {
  device_code: string
  user_code: string
}

/** Ready to be called again with the same code, once a refusal has been dealt with. */
export const cliTokenFor = (organization: string): (() => Promise<CliToken>) => {
  let started: Promise<StartedCode> | undefined
  return async () => {
    started ??= call<StartedCode>('POST', '/auth/device')
    // A code that could not be had is asked for anew.
    started.catch(() => (started = undefined))
    const { device_code, user_code } = await started
    await claimCode(user_code)
    await approveCode(user_code, organization)
    return call<CliToken>('POST', '/auth/device/token', { body: { device_code }, isProof: true })
  }
}
