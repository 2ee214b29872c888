/**
 * The text of each notice (docs/decisions/0115). Names and texts of others are brought into one
 * short line and escaped, so they make neither headers nor markup.
 */
import { limits } from '../../contract/limits.ts'
import type { NoticeKind } from '../../contract/notices.ts'
import { escaped } from '../html-text.ts'
import { shortenedText } from '../shortened-text.ts'
import { dateOf } from '../dates.ts'

/** What a notice says, as its recipient may read it in the app. */
interface Facts {
  approval_wanted: { approval: string; summary: string; expires_at: string }
  payment_failed: {
    isPayer: boolean
    amount: string
    partner: string
    /** Its label and number. */
    document: string
    document_id: string
    message: string
  }
  /** Null for those who cannot see the endpoints. */
  endpoint_failing: {
    endpoint: { id: string; host: string } | null
    failures: number
    /** By its failures. */
    isDisabled: boolean
  }
  /** Null for those who cannot see the keys. */
  key_expiring: { key: { name: string; prefix: string } | null; expires_at: string }
  connection_invitation: object
  member_invitation: { invited_by: string; role: string; token: string; expires_at: string }
  sign_in_link: { token: string; expires_at: string }
}

export type NoticeFacts = { [K in NoticeKind]: { kind: K } & Facts[K] }[NoticeKind]

export interface NoticeSetting {
  organization: { id: string; name: string; mode: string }
  /** In the app, without a trailing slash. */
  appUrl: string
}

interface NoticeText {
  subject: string
  paragraphs: readonly string[]
  /** Where the recipient goes on: a path of the app, by default of the organization. */
  link: { label: string; path: string; isOutside?: true }
}

type Texts = { [K in NoticeKind]: (facts: Facts[K], organization: string) => NoticeText }

const texts: Texts = {
  approval_wanted: ({ approval, summary, expires_at }, organization) => ({
    subject: `Approval wanted: ${line(summary)}`,
    paragraphs: [
      `${organization} waits for a decision of yours: ${line(summary)}.`,
      `It can be approved or declined until ${time(expires_at)}.`,
    ],
    link: { label: 'Decide', path: `/approvals?approval=${approval}` },
  }),
  payment_failed: (facts, organization) => {
    const [partner, document] = [line(facts.partner), line(facts.document)]
    const payment = `${grouped(facts.amount)} ${facts.isPayer ? 'to' : 'from'} ${partner}`
    return {
      subject: `Payment failed: ${payment} for ${document}`,
      paragraphs: [
        `The payment of ${payment} for ${document} of ${organization} has failed.`,
        line(facts.message),
        facts.isPayer
          ? `${document} can be paid again.`
          : `${document} is open again, and ${partner} can pay it again.`,
      ],
      link: { label: 'Open the document', path: `/documents/${facts.document_id}` },
    }
  },
  endpoint_failing: ({ endpoint, failures, isDisabled }, organization) => {
    const name = shortened(
      endpoint === null ? 'A webhook endpoint' : `The webhook endpoint at ${endpoint.host}`,
    )
    return {
      subject: `${name} is ${isDisabled ? 'disabled' : 'failing'}`,
      paragraphs: [
        `${name} of ${organization} has failed to take ${failures} deliveries in a row.`,
        isDisabled
          ? 'It is disabled: events are not delivered until it is enabled, and can be redelivered then.'
          : `After ${limits.webhookFailuresMax} it is disabled, and later events are not delivered.`,
        ...(endpoint === null ? ['Owners and admins see which one it is, and can mend it.'] : []),
      ],
      link:
        endpoint === null ? home : { label: 'Open the endpoint', path: `/webhooks/${endpoint.id}` },
    }
  },
  key_expiring: ({ key, expires_at }, organization) => {
    const name = key === null ? 'An API key' : `The API key ${line(key.name)} (${key.prefix}…)`
    return {
      subject: `${key === null ? 'An API key' : `API key ${line(key.name)}`} expires soon`,
      paragraphs: [
        `${name} of ${organization} expires on ${time(expires_at)}.`,
        'From then on every call with it is refused.',
        key === null
          ? 'Owners and admins see which one it is, and can rotate it before then.'
          : 'Rotate it before then: for a while the old and the new one both work.',
      ],
      link: key === null ? home : { label: 'Open the keys', path: '/keys' },
    }
  },
  connection_invitation: (_, organization) => ({
    subject: `${organization} invites you to exchange documents`,
    paragraphs: [
      `${organization} wants to exchange invoices and other documents with you.`,
      'Sign in with this address. Under Connections you accept or decline.',
    ],
    link: { label: 'Sign in', path: '', isOutside: true },
  }),
  member_invitation: ({ invited_by, role, token, expires_at }, organization) => ({
    subject: `${line(invited_by)} invites you to ${organization}`,
    paragraphs: [
      `${line(invited_by)} invites you to act for ${organization}, in the role ${role}.`,
      'There you see its documents and payments, as far as your role admits.',
      `The link works once, until ${time(expires_at)}. Whoever has it can accept in your place.`,
    ],
    link: { label: 'Accept', path: `/invitation#t=${token}`, isOutside: true },
  }),
  sign_in_link: ({ token, expires_at }) => ({
    subject: 'Your link to sign in to the Document Exchange',
    paragraphs: [
      'With this link you sign in once, without a password.',
      `It works until ${time(expires_at)}. Whoever has it can sign in as you: pass it on to nobody.`,
    ],
    link: { label: 'Sign in', path: `/link#t=${token}`, isOutside: true },
  }),
}

/** Whether a mail may go to it: an address may have any form, as long as it is one address. */
export const isMailAddress = (text: string): boolean =>
  /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u.test(text)

const home = { label: 'Open the organization', path: '' }

export const noticeMail = (
  facts: NoticeFacts,
  { organization, appUrl }: NoticeSetting,
): { subject: string; text: string; html: string } => {
  const name = line(organization.name)
  const textOf = texts[facts.kind] as (facts: NoticeFacts, organization: string) => NoticeText
  const { subject, paragraphs, link } = textOf(facts, name)
  const url = `${appUrl}${link.isOutside ? '' : `/o/${organization.id}`}${link.path}`
  const closing = link.isOutside
    ? { text: unexpected, html: escaped(unexpected) }
    : closingForMember(name, `${appUrl}/o/${organization.id}/settings`)
  const isSandbox = organization.mode === 'test'
  return {
    subject: `${isSandbox ? '[Sandbox] ' : ''}${subject}`,
    text: `${[...paragraphs, `${link.label}: ${url}`, `-- \n${closing.text}`].join('\n\n')}\n`,
    html: htmlOf([
      ...paragraphs.map(escaped),
      anchor(link.label, url),
      `<small>${closing.html}</small>`,
    ]),
  }
}

const unexpected = 'If you do not expect this mail, ignore it.'

const closingForMember = (name: string, settings: string): { text: string; html: string } => {
  const words = `You get this as a member of ${name}. To get fewer notices, choose them under`
  return {
    text: `${words} Preferences: ${settings}`,
    html: `${escaped(words)} ${anchor('Preferences', settings)}.`,
  }
}

const anchor = (label: string, url: string): string =>
  `<a href="${escaped(url)}">${escaped(label)}</a>`

/** In the colours of the reader, and no wider than a phone, however long a name is. */
const head = '<meta charset="utf-8"><meta name="color-scheme" content="light dark">'
const style = 'font: 16px/1.5 sans-serif; max-width: 40em; overflow-wrap: anywhere'

const htmlOf = (paragraphs: readonly string[]): string =>
  `<!doctype html><html lang="en"><head>${head}</head><body><div style="${style}">${paragraphs
    .map((content) => `<p>${content}</p>`)
    .join('\n')}</div></body></html>\n`

/** Line breaks and other control characters, and those that turn a text around. */
const breaks = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu

/** In one short line. */
const shortened = (text: string): string =>
  shortenedText(text.toWellFormed().replaceAll(breaks, ' ').trim(), limits.noticeTextMaxLength)

/** Where a mail program sees that a text is an address, and makes a link of it. */
const linkJoints = /(?=:\/\/|\.\p{L})/gu

/** A text of somebody else's, in which an address has an invisible gap: nobody is to follow it. */
const line = (text: string): string => shortened(text).replaceAll(linkJoints, '\u200c')

/** '12500.00 USD' → '12,500.00 USD' */
const grouped = (amount: string): string => amount.replaceAll(/\B(?=(?:\d{3})+\.)/g, ',')

/** '2026-11-21T01:40:00.120Z' → '2026-11-21 01:40 UTC' */
const time = (timestamp: string): string => `${dateOf(timestamp)} ${timestamp.slice(11, 16)} UTC`
