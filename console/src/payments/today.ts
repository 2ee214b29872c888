/** The day that it is for an organization: by the clock of its sandbox, else that of the service. */
import { useSandboxClock } from '../api/sandbox-clock.ts'
import { serviceToday } from './calendar.ts'

export const useToday = (): string => useSandboxClock().now?.slice(0, 10) ?? serviceToday()
