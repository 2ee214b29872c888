/** How good the status of a response is. */
import type { Tone } from '../design/status.tsx'

export const toneOf = (status: number): Tone => {
  if (status >= 200 && status < 300) return 'good'
  return status >= 300 && status < 500 ? 'warning' : 'bad'
}
