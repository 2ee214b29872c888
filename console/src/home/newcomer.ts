/** Whether the organization has no document yet: its charts would be empty. */
import { useRead } from '../api/reads.ts'
import type { DocumentRecord, Page as Rows } from '../api/types.ts'
import { useWaiting } from './inbox-reads.ts'

/** Undefined until it is known. What waits for somebody tells it without another call. */
export const useIsNew = (): boolean | undefined => {
  const waiting = useWaiting()
  const isQuiet = waiting.data?.data.length === 0
  const any = useRead<Rows<DocumentRecord>>(
    '/v1/documents',
    { limit: 1, fields: 'id' },
    { isEnabled: isQuiet },
  )
  // What cannot be read says why in its own place.
  if (waiting.error !== null || any.error !== null) return false
  if (waiting.data === undefined) return undefined
  return isQuiet ? any.data && any.data.data.length === 0 : false
}
