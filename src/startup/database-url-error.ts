/** Explains in one line why DATABASE_URL cannot be used, without printing its password. */
import { SettingError } from './setting.ts'
import { poolerRemedy } from '../database/server-check.ts'
import { DatabaseUnavailable, databaseError } from '../database/sql.ts'

/** Maps an error of the first connection to a SettingError when the setting causes it. */
export const databaseUrlError = (error: unknown, url: string): unknown => {
  const reason = reasonOf(error)
  return reason === undefined ? error : new SettingError('DATABASE_URL', maskedUrl(url), reason)
}

const maskedUrl = (url: string): string => {
  if (!URL.canParse(url)) return '…'
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}

const pooled = `a connection pooler shares sessions among the connections: ${poolerRemedy}`

const serverReasons: Readonly<Record<string, string>> = {
  '08P01': `what listens there, perhaps a connection pooler, refuses the session: ${poolerRemedy}`,
  '25006': 'PostgreSQL is read-only, as a standby is: name the primary',
  '26000': pooled,
  '28P01': 'the password is wrong, or there is no such user',
  '28000': 'the server does not accept this user from this host',
  '3D000': 'the database does not exist on that server: create it',
  '42501': 'the user lacks a right: make it the owner of the database and of its schema public',
  '42704': 'the server does not know a setting of the sessions: PostgreSQL 15 or newer is required',
  '42P05': pooled,
  '53300': 'no connection is free: raise the limit of the server, the database or the user',
  '57P03': 'the server is starting or stopping: try again',
}

const networkReasons: Readonly<Record<string, string>> = {
  ERR_INVALID_URL: 'it is not a valid URL: percent-encode special characters of the password',
  ECONNREFUSED: 'nothing listens there: check that PostgreSQL runs and that the port is right',
  ECONNRESET: 'the server closed the connection: check that it is PostgreSQL',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host is unknown, or no name server responds',
  ENOENT: 'there is no socket in that directory',
  EACCES: 'this account may not open the socket',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not respond in time',
}

const unknownAuthority =
  "no authority that is trusted here has signed the server's certificate: name the file of its own in sslrootcert"
const unreadableKey =
  'sslcert or sslkey is not a file in the format PEM, or the key has a passphrase'

/** What Node.js and OpenSSL say of certificates. */
const certificateReasons: readonly [RegExp, string][] = [
  [/^CERT_HAS_EXPIRED/, "the server's certificate has expired: renew it"],
  [/^CERT_NOT_YET_VALID/, "the server's certificate is not valid yet: compare the clocks"],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    "the server's certificate is for another host: the URL needs one of the names in it",
  ],
  [/SELF_SIGNED_CERT|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/, unknownAuthority],
  [/^ERR_OSSL_X509_KEY_VALUES_MISMATCH/, 'sslkey is not the key of sslcert'],
  [/^ERR_OSSL_/, unreadableKey],
  [/^ERR_SSL_.*ALERT.*(?:UNKNOWN_CA|CERT)/, 'the server refuses the certificate of sslcert'],
  [/^ERR_SSL_/, 'the server refuses the TLS of this process: compare the versions of both'],
]

const driverReasons: readonly [RegExp, string][] = [
  [/timeout expired/, 'the host does not respond in time'],
  [/client password must be a/, 'the server requires a password, and the URL has none'],
  [/does not support SSL/, 'the server does not support TLS: turn it on there, or remove sslmode'],
  [/certificate/, "the server's certificate is not trusted: see sslmode and sslrootcert"],
]

/** Undefined when the error has nothing to do with the setting. */
const reasonOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  return (
    serverReasonOf(error) ??
    fileReasonOf(error) ??
    networkReasons[codeOf(error)] ??
    firstReason(certificateReasons, codeOf(error)) ??
    firstReason(driverReasons, error.message) ??
    reasonOf(error.cause) ??
    refusalOf(error)
  )
}

const firstReason = (reasons: readonly [RegExp, string][], text: string): string | undefined =>
  reasons.find(([pattern]) => pattern.test(text))?.[1]

/** Our reason, and what the server says itself, which is never the password. */
const serverReasonOf = (error: Error): string | undefined => {
  const reason = serverReasons[databaseError(error)?.code ?? '']
  return reason && `${reason} (PostgreSQL: ${error.message})`
}

/** Any other answer of the server to the connection itself. */
const refusalOf = (error: Error): string | undefined =>
  error instanceof DatabaseUnavailable && databaseError(error.cause) !== undefined
    ? `the server refuses the connection (PostgreSQL: ${(error.cause as Error).message})`
    : undefined

/** The driver reads the files of sslrootcert, sslcert and sslkey. */
const fileReasonOf = (error: Error): string | undefined =>
  'syscall' in error && error.syscall === 'open' && 'path' in error
    ? `the file ${String(error.path)} of sslrootcert, sslcert or sslkey cannot be read`
    : undefined

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')
