/**
 * The attachments that a document's history records (docs/decisions/0065). None is ever removed, so
 * each of them has its row.
 */
import type { Body } from '../../../verifier/verify-bundle.mjs'
import { decodeId } from '../ids.ts'
import { bodyText } from './history-event.ts'
import { type VerifiedEvent, failCheck } from './history-verification.ts'

/** What an event says of the file that it attached; undefined if it attached none. */
export const attachmentIn = (body: Body | null | undefined): { id: string } | undefined =>
  body?.type === 'attachment.added' ? (body['attachment'] as { id: string }) : undefined

/** An event says it to both parties, or of a draft to the issuer. */
export const bodyOf = ({ open }: Pick<VerifiedEvent, 'open'>): Body | null | undefined =>
  open.shared?.body ?? open.issuer?.body

/** The sequence number of the event of each attachment, by uuid. */
export const recordedAttachments = (events: readonly VerifiedEvent[]): Map<string, number> =>
  new Map(
    events.flatMap((event) => {
      const attachment = attachmentIn(bodyOf(event))
      return attachment === undefined ? [] : [[decodeId('att', attachment.id)!, event.header.seq]]
    }),
  )

/** Checks that each of them has a row. */
export const checkAttachments = (
  recorded: ReadonlyMap<string, number>,
  stored: readonly { id: string }[],
): void => {
  const ids = new Set(stored.map(({ id }) => id))
  for (const [id, seq] of recorded)
    if (!ids.has(id)) failCheck('ATTACHMENT', 'the record of the file is gone', { seq })
}

/** The uuid of the attachment that a stored body records. It is not verified here. */
export const attachmentInStored = (stored: Buffer): string | undefined => {
  try {
    const attachment = attachmentIn(JSON.parse(bodyText(stored)) as Body | null)
    return attachment && decodeId('att', attachment.id)
  } catch {
    return undefined
  }
}
