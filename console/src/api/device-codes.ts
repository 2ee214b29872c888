/** Programs that show a code and wait until a person has approved it. */
import { call } from './call.ts'
import type { Organization } from './session.ts'

export interface DeviceCode {
  user_code: string
  status: 'claimed' | 'approved' | 'denied'
  /** From where the program asks, and what it says it is. */
  address: string
  user_agent: string | null
  created_at: string
  /** Null until it is approved. */
  organization: Organization | null
}

export const claimCode = (user_code: string): Promise<DeviceCode> =>
  call('POST', '/auth/device/claim', { body: { user_code } })

export const approveCode = (user_code: string, organization_id: string): Promise<DeviceCode> =>
  call('POST', '/auth/device/approve', { body: { user_code, organization_id } })

export const denyCode = (user_code: string): Promise<DeviceCode> =>
  call('POST', '/auth/device/deny', { body: { user_code } })
