/** The package that sends e-mails is loaded only where a server is configured. */
import type { SmtpSettings } from '../startup/smtp-setting.ts'
import type { Mailer } from './mailer.ts'

export const openMailer = async (
  settings: SmtpSettings | undefined,
): Promise<Mailer | undefined> => {
  if (settings === undefined) return undefined
  const { smtpMailer } = await import('./smtp.ts')
  return smtpMailer(settings)
}
