/** The day that it is for an organization: by the clock of its sandbox, else on this device. */
import { useSandboxClock } from '../api/sandbox-clock.ts'
import { deviceToday } from './calendar.ts'

export const useToday = (): string => useSandboxClock().now?.slice(0, 10) ?? deviceToday()
