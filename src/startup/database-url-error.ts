/** Explains in one line why DATABASE_URL cannot be used, without printing its password. */
import { SettingError } from './setting.ts'
import { databaseError } from '../database/sql.ts'

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

const serverReasons: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong, or there is no such user',
  '28000': 'the server does not accept this user from this host',
  '3D000': 'the database does not exist on that server: create it',
  '42501': 'the user may not create tables: make it the owner of the database',
  '53300': 'the server has no free connection: raise its max_connections',
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

const driverReasons: readonly [RegExp, string][] = [
  [/timeout expired/, 'the host does not respond in time'],
  [/client password must be a/, 'the server requires a password, and the URL has none'],
  [/does not support SSL/, 'the server does not support TLS: remove sslmode'],
  [/certificate/, "the server's certificate is not trusted: see sslmode and sslrootcert"],
]

/** Undefined when the error has nothing to do with the setting. */
const reasonOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  return (
    serverReasons[databaseError(error)?.code ?? ''] ??
    networkReasons[codeOf(error)] ??
    driverReasons.find(([pattern]) => pattern.test(error.message))?.[1] ??
    reasonOf(error.cause)
  )
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')
