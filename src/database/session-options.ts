/** The settings of every session of the service, which precede those of its role and database. */
import { limits } from '../contract/limits.ts'

export const sessionSettings: Readonly<Record<string, string>> = {
  timezone: 'UTC',
  // Of the tables, and of functions such as clock_timestamp(), a setting of the role or database
  // would otherwise find those in another schema.
  search_path: 'public,pg_temp',
  datestyle: 'ISO,MDY',
  bytea_output: 'hex',
  // Otherwise the function that drops expired partitions reads its pattern without the backslash.
  standard_conforming_strings: 'on',
  // Otherwise every definition of an index or a constraint is another one than migrations make.
  quote_all_identifiers: 'off',
  // Any other value lets a search leave out what it should find.
  gin_fuzzy_search_limit: '0',
  // A lock is taken in an earlier statement than what relies on it, which must see what the last
  // holder of the lock has committed.
  default_transaction_isolation: 'read committed',
  // No statement runs long enough to be worth compiling, and up to PostgreSQL 17 the cost penalty
  // of enable_seqscan=off would trigger compilation.
  jit: 'off',
  statement_timeout: String(limits.statementTimeoutMs),
  lock_timeout: String(limits.lockTimeoutMs),
  idle_in_transaction_session_timeout: String(limits.idleInTransactionTimeoutMs),
  // Connections are kept for the next request, which would find them closed.
  idle_session_timeout: '0',
  client_connection_check_interval: String(limits.clientGoneCheckMs),
  // A warning tells that a synchronous standby may lack what a COMMIT has made.
  client_min_messages: 'warning',
}

const sessionOptions = Object.entries(sessionSettings)
  .map(([name, value]) => `-c ${name}=${value.replace(' ', '\\ ')}`)
  .join(' ')

/** Parameters of a URL that the service decides itself. The driver prefers those of the URL. */
const decidedHere = [
  'application_name',
  'client_encoding',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'options',
  'query_timeout',
  'replication',
  'statement_timeout',
]

/**
 * Where a URL leads, and the options of the sessions there: those of the URL, which may name an
 * endpoint of a provider, and after them ours, since the last value of a setting holds. The rest of
 * the URL stays as it is written: the driver also takes what a strict reader of URLs would not.
 */
export const sessionTarget = (url: string, extraOptions = '') => {
  const options = `${sessionOptions}${extraOptions}`
  const [address = ''] = url.split('#')
  const queryAt = address.indexOf('?')
  if (queryAt < 0) return { connectionString: url, options }
  const query = address.slice(queryAt + 1)
  const parameters = new URLSearchParams(query)
  const given = parameters.getAll('options').at(-1)
  const isAsLibpq = parameters.get('uselibpqcompat') === 'true'
  const others = query
    .split('&')
    .filter((parameter) => !isDecidedHere(parameter))
    .map((parameter) => (isAsLibpq ? parameter : withVerifiedServer(parameter)))
  return {
    connectionString: `${address.slice(0, queryAt)}?${others.join('&')}`,
    options: given === undefined ? options : `${given} ${options}`,
  }
}

const isDecidedHere = (parameter: string): boolean =>
  [...new URLSearchParams(parameter).keys()].some((name) => decidedHere.includes(name))

/**
 * Today the driver verifies with these as well, warns of it, and one day will do so no more. With
 * uselibpqcompat, the operator has asked for what libpq means by them.
 */
const withVerifiedServer = (parameter: string): string =>
  parameter.replace(/^sslmode=(?:prefer|require|verify-ca)$/, 'sslmode=verify-full')
