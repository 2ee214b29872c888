/** What a step of a history was, where the history and its proof are shown. */
import type { DocumentHistory } from '../api/types.ts'
import { wordsOf } from '../design/format.tsx'

export type Step = DocumentHistory['entries'][number]

export const stepText = ({ sealed, type = '', to_status, from_status, changes = [] }: Step) => {
  if (sealed) return 'A step that only the other side can read'
  if (to_status != null && to_status !== from_status) return wordsOf(to_status)
  if (changes.length > 0)
    return `Edited: ${changes.map((name) => wordsOf(name).toLowerCase()).join(', ')}`
  return wordsOf(type)
}
