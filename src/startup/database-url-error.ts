/** Why DATABASE_URL cannot be used, in one line for whoever set it; never with its password. */
import { SettingError } from './setting.ts'
import { databaseError } from '../database/sql.ts'

/** The error of a first use of the database, told as one of the setting where it is one. */
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
  '28000': 'the server does not let this user in from here',
  '3D000': 'there is no such database on that server: create it',
  '42501': 'its user may not create tables there: make it the owner of the database',
  '53300': 'the server has no free connection: raise its max_connections',
  '57P03': 'the server is starting or stopping: try again',
}

const networkReasons: Readonly<Record<string, string>> = {
  ERR_INVALID_URL: 'it is no URL; special characters of the password are written %xx',
  ECONNREFUSED: 'nothing listens there: is PostgreSQL running, and the port right?',
  ECONNRESET: 'the other side hung up: is it a PostgreSQL?',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host is unknown, or no name server answers',
  ENOENT: 'there is no socket in that directory',
  EACCES: 'the socket may not be opened by this account',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not answer in time',
}

const driverReasons: readonly [RegExp, string][] = [
  [/timeout expired/, 'the host does not answer in time'],
  [/client password must be a/, 'the server asks for a password, and the URL has none'],
  [/does not support SSL/, 'the server does not speak TLS: leave sslmode out'],
  [/certificate/, 'the certificate of the server is not trusted: see sslmode and sslrootcert'],
]

/** Undefined for what is no matter of the setting. */
const reasonOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const known = serverReasons[databaseError(error)?.code ?? ''] ?? networkReasons[codeOf(error)]
  return (
    known ??
    driverReasons.find(([pattern]) => pattern.test(error.message))?.[1] ??
    reasonOf(error.cause)
  )
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')
