/** What sends e-mails. */

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** The same in every attempt, so that a mail that arrives twice can be recognised. */
  messageId: string
  /** Where a mail program turns such mails off for the recipient (RFC 8058). */
  unsubscribeUrl?: string | undefined
}

/**
 * `refused`: the server will not take this mail. `failed`: it may later, and `isAway` says that the
 * same holds for every other mail. A reason names no address and no credential. `late` is what a
 * server says of the mail after nobody waits any more, as one does that looks for viruses first.
 */
export type SendResult =
  | { outcome: 'sent' }
  | { outcome: 'refused'; reason: string }
  | { outcome: 'failed'; reason: string; isAway: boolean; late?: Promise<SendResult> }

export interface Mailer {
  send(mail: Mail): Promise<SendResult>
}
