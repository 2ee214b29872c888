/** The table of contents of the API: every operation, in the order of the docs. */
import { list } from './document-list.ts'
import * as documents from './documents.ts'
import * as keys from './keys.ts'
import * as me from './me.ts'
import * as sessions from './sessions.ts'
import { specification } from './specification.ts'
import type { Operation } from './operation.ts'

export const operations: readonly Operation[] = [
  list,
  documents.get,
  documents.create,
  documents.update,
  documents.issue,
  documents.transition,
  documents.transitions,
  documents.convert,
  keys.list,
  keys.get,
  keys.create,
  keys.rotate,
  keys.revoke,
  me.get,
  me.idempotency,
  me.enablement,
  specification(() => operations),
  sessions.create,
  sessions.get,
  sessions.end,
  sessions.change,
]
