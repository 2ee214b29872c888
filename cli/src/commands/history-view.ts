/** The history of a document as a table; with `--json` it stays whole. */
import type { DocumentHistory } from '../../../sdk/src/generated/types.ts'

type Entry = DocumentHistory['entries'][number]

export const historyView = (history: DocumentHistory) => ({
  ...history,
  entries: history.entries.map((entry) => ({
    seq: entry.seq,
    at: entry.at,
    type: typeOf(entry),
    from_status: entry.from_status,
    to_status: entry.to_status,
    who: whoOf(entry.actor),
    hash: shortened(entry.hash),
    log: entry.log?.index,
    changes: entry.changes,
  })),
})

const typeOf = ({ type, sealed, held_by: holder, erased }: Entry): string | undefined => {
  if (sealed) return `sealed (${holder})`
  return erased === true ? `${type ?? ''} (erased)`.trim() : type
}

/** The service names the other side by its organization and the prefix of its key alone. */
const whoOf = (actor: Entry['actor']): string | undefined => {
  if (actor === undefined || actor === null) return undefined
  const { kind, user_id: user, key_prefix: key, organization_id: organization } = actor
  if (kind === 'system') return 'system'
  const who = kind === 'user' ? (user ?? 'a user') : (key ?? 'a key')
  return organization === undefined ? who : `${who} of ${organization}`
}

const shortLength = 12

const shortened = (hash: string): string => `${hash.slice(0, shortLength)}…`
