/**
 * One signed request makes one event (docs/decisions/0058). Its kept reply answers it again for
 * longer than its signature is accepted, so whoever is asked to execute a signed request that a
 * history has already misses a reply that was deleted. A reset of a sandbox and an erasure delete
 * replies as well: after the first, the caller sees the documents no longer, so the refusals of the
 * write come first.
 */
import { unauthorized } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { PartySignature } from '../../core/identity/request-signature.ts'
import { encodeId } from '../../core/ids.ts'
import { signerIn } from '../../core/provenance/history-entries.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { BrokenSeal, missingRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'

/** A clock may be behind when a request is signed, and ahead when it is sent again. */
const acceptedForSeconds = 2 * limits.signatureToleranceSeconds

interface SignedRequest {
  organization: string
  signature: PartySignature | null
}

type SignedEvent = Pick<Rows['prov_event'], 'document_id' | 'shared_body' | 'issuer_body'>

/** Why it is not executed, if the history of one of these documents has its signed text. */
export const repetitionOf = async (
  db: Queryable,
  { organization, signature }: SignedRequest,
  documents: readonly string[],
): Promise<Error | undefined> => {
  if (signature === null) return undefined
  const events = await db.rows<SignedEvent>(sql`
    select document_id, shared_body, issuer_body from prov_event
    where document_id = any(${columnArray('uuid', documents)})
      and at > pg_catalog.clock_timestamp() - make_interval(secs => ${acceptedForSeconds})`)
  const used = events.find((event) => signerIn(event, signature.base) !== undefined)
  if (used === undefined) return undefined
  const own = encodeId('org', organization)
  const { organization_id: signer = own } = signerIn(used, signature.base)!
  if (signer === own) return replyMissing(used.document_id)
  // Both sides may have one signing key, and each has replies of its own.
  const message = 'The other party has sent this signed request already: sign one of your own.'
  return unauthorized(message)
}

/** The request has made an event of this document, and its stored response is not there. */
export const replyMissing = (document: string): BrokenSeal => missingRow('idempotency', document)
