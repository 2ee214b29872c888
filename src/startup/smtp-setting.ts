/** SMTP_URL and SMTP_FROM: the server that sends notices, and their sender. */
import { hostOf } from '../core/identity/ip-addresses.ts'
import { type Environment, SettingError } from './setting.ts'

export interface SmtpSettings {
  host: string
  port: number
  /** Whether the connection begins with TLS; otherwise STARTTLS upgrades it. */
  isTls: boolean
  credentials: { user: string; password: string } | undefined
  from: { name: string; address: string }
}

const urlForm =
  'a URL such as smtp://user:password@mail.example.com:587 or smtps://…, without path and query'

/** Never shows SMTP_URL, which may contain a password. */
export const smtpOf = (env: Environment): SmtpSettings | undefined => {
  const { SMTP_URL: url = '', SMTP_FROM: from = '' } = env
  if (url === '') {
    if (from === '') return undefined
    throw new SettingError('SMTP_URL', '', `${urlForm}, since SMTP_FROM is set`)
  }
  const server = serverOf(url)
  if (server === undefined) throw new SettingError('SMTP_URL', '…', urlForm)
  return { ...server, from: senderOf(from) }
}

const serverOf = (text: string): Omit<SmtpSettings, 'from'> | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['smtp:', 'smtps:'].includes(url.protocol)) return undefined
  const { port, pathname, search, hash } = url
  const host = hostOf(url)
  if (host === '' || port === '0' || !['', '/'].includes(pathname + search + hash)) {
    return undefined
  }
  const user = decoded(url.username)
  const password = decoded(url.password)
  if (user === undefined || password === undefined) return undefined
  if ((user === '') !== (password === '')) return undefined
  const isTls = url.protocol === 'smtps:'
  return {
    host,
    port: Number(port || (isTls ? 465 : 587)),
    isTls,
    credentials: user === '' ? undefined : { user, password },
  }
}

/** Undefined unless it is percent-encoded as it should be. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const addressForm = /^[^\s@<>()[\]\\,;:"]+@[a-z\d.-]+$/i

const senderOf = (value: string): SmtpSettings['from'] => {
  const [, name = '', address = value] = /^([^<>"\p{Cc}]*?) *<([^<>]*)>$/u.exec(value) ?? []
  if (addressForm.test(address)) return { name, address }
  const accepted = 'an address such as Documents <notices@example.com>, required with SMTP_URL'
  throw new SettingError('SMTP_FROM', value, accepted)
}
