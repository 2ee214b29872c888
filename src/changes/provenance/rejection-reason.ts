/** Why a queued row does not become a leaf of the log. */
import type { LoggedHeads } from '../../notary/logged-heads.ts'
import type { QueuedEvent, RejectionReason } from '../../store/provenance/transparency-log.ts'

interface KnownEvents {
  /** The events that this batch has accepted, as `<document> <seq>`. */
  acceptedIds: ReadonlySet<string>
  heads: LoggedHeads
  /** Whether the MAC of the event is of a history key that holds at its place. */
  isOurs: boolean
}

/** A row is logged once, after its predecessor, and only with this service's MAC. */
export const rejectionReason = (
  { document_id, seq, hash, event_hash: eventHash, mac, logged, follows }: QueuedEvent,
  { acceptedIds, heads, isOurs }: KnownEvents,
): RejectionReason | undefined => {
  if (eventHash === null || mac === null) return 'no_such_event'
  if (!eventHash.equals(hash)) return 'another_hash'
  if (!isOurs) return 'not_written_by_this_service'
  const isLogged = logged || seq <= heads.of(document_id)
  if (isLogged || acceptedIds.has(`${document_id} ${seq}`)) return 'logged_before'
  const isNext = seq === 1 || follows || acceptedIds.has(`${document_id} ${seq - 1}`)
  return isNext ? undefined : 'out_of_order'
}
