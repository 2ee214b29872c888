/** What every list says of a cursor that is not one of its own. */
import type { Problem } from '../contract/problem.ts'

export const wrongCursor: Problem = {
  param: 'cursor',
  code: 'invalid_cursor',
  message: 'This cursor does not belong to this query of this organization.',
  fix: 'pass next_cursor back verbatim, with the same filters; after changing one, start without a cursor',
}
