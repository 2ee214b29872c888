/**
 * Sends e-mails through the operator's server (docs/decisions/0115). A password never goes over a
 * network in clear, and what a server answers is never passed on: it may repeat what it was sent.
 */
import { createTransport } from 'nodemailer'
import { limits } from '../contract/limits.ts'
import { isLoopback } from '../core/identity/ip-addresses.ts'
import type { SmtpSettings } from '../startup/smtp-setting.ts'
import type { Mailer, SendResult } from './mailer.ts'

export const smtpMailer = ({ host, port, isTls, credentials, from }: SmtpSettings): Mailer => {
  const isLocal = isLoopback(host)
  const transport = createTransport({
    host,
    port,
    secure: isTls,
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    // Servers on this machine seldom have a certificate that anybody else trusts.
    ignoreTLS: isLocal,
    requireTLS: !isLocal && credentials !== undefined,
    connectionTimeout: limits.noticeConnectTimeoutMs,
    greetingTimeout: limits.noticeConnectTimeoutMs,
    dnsTimeout: limits.noticeConnectTimeoutMs,
    socketTimeout: limits.noticeSilenceMaxMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const [, domain = ''] = from.address.split('@')
  return {
    send: async ({ to, messageId, unsubscribeUrl, ...parts }) => {
      const attempt = transport.sendMail({
        ...parts,
        from,
        to: { name: '', address: to },
        // Nothing in the parts of the mail decides where it goes.
        envelope: { from: from.address, to: [to] },
        messageId: `<${messageId}@${domain}>`,
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          ...(unsubscribeUrl && unsubscribeHeaders(unsubscribeUrl)),
        },
      })
      const result = attempt.then(() => sent, failureOf)
      return Promise.race([result, timeout(result)])
    },
  }
}

/** A mail program sends a form there with this field (RFC 8058, docs/decisions/0275). */
const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

const sent: SendResult = { outcome: 'sent' }

const timeout = (late: Promise<SendResult>): Promise<SendResult> =>
  new Promise((resolve) => {
    const result = { outcome: 'failed', reason: 'timeout', isAway: true, late } as const
    setTimeout(resolve, limits.noticeTimeoutMs, result).unref()
  })

/** What nodemailer says of a failed mail. */
interface SmtpError {
  code?: string
  responseCode?: number
  command?: string
}

/** Only a refusal of the recipient or of the content is about this mail. */
const failureOf = (error: unknown): SendResult => {
  const { code = 'unknown', responseCode, command = '' } = error as SmtpError
  const reason = [code, responseCode].filter((part) => part !== undefined).join(' ')
  const isOwnFault = code === 'EMESSAGE' || (code === 'EENVELOPE' && command === 'RCPT TO')
  if (!isOwnFault) return { outcome: 'failed', reason, isAway: true }
  if (responseCode !== undefined && responseCode >= 500) return { outcome: 'refused', reason }
  return { outcome: 'failed', reason, isAway: false }
}
