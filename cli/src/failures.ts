/** How a run ends: its exit code, and what it says when it fails. */
import { CommanderError } from 'commander'
import type { Problem } from '../../sdk/src/error-details.ts'
import { ApiError, ConnectionError, DocexError } from '../../sdk/src/errors.ts'
import type { Io } from './io.ts'
import { stderrOf, styled, withoutControls } from './style.ts'

export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  refused: { code: 1, meaning: 'the service refused the request, or the proof is not valid' },
  usage: { code: 2, meaning: 'the command is not understood, or a file cannot be read or written' },
  credentials: { code: 3, meaning: 'no credential, or one that the service does not know' },
  network: { code: 4, meaning: 'no complete answer arrived: the outcome of a write is not known' },
} as const

/** By Ctrl-C, as shells say it; other signals have codes of their own. */
export const interruptedCode = 130

/** The command line is wrong: nothing was sent. */
export class UsageError extends Error {}

/** There is no usable credential. */
export class CredentialsError extends Error {}

/** What was to be verified cannot be, and why. */
export class Unverifiable extends Error {}

/** Ctrl-C, or another signal to end, came before the answer. */
export class Interrupted extends Error {
  /** The key of a write that was on its way. */
  idempotencyKey: string | undefined

  constructor(idempotencyKey?: string) {
    super('A signal ended the command before the answer arrived.')
    this.idempotencyKey = idempotencyKey
  }
}

/** The result is printed already, and it is a failure. */
export class FailedResult extends Error {}

interface ErrorBody {
  code: string
  message: string
  docs_url?: string
  request_id?: string
  details?: unknown
  /** Repeat a write with it that may succeed or has, or that a person has to approve first. */
  idempotency_key?: string
}

interface AskedApproval {
  id: string
  digest: string
  summary: string
  page: string | null
}

/** What a person has to approve before the same write runs; of a dry run, nothing is asked. */
const askedApproval = (details: unknown): AskedApproval | undefined => {
  const { reason, approval } = (details ?? {}) as { reason?: string; approval?: AskedApproval }
  return reason === 'approval_required' && approval?.id != null ? approval : undefined
}

const approvalLines = ({ id, digest, summary, page }: AskedApproval, key: string): string[] => [
  `  what     ${summary}`,
  ...(page === null ? [] : [`  where    ${page}`]),
  `  or       docex approvals approve ${id} --digest ${digest}`,
  '  Once it is approved, run the same command again with:',
  `  --idempotency-key ${key}`,
]

interface Failure {
  exit: number
  error: ErrorBody
}

/** The key that repeats a write without a second effect, if there may be a first one. */
const repeatingKey = ({ mayHaveTakenEffect, idempotencyKey }: DocexError): string | undefined =>
  mayHaveTakenEffect ? idempotencyKey : undefined

const failureOf = (error: unknown, io: Io): Failure => {
  if (error instanceof ApiError) {
    const { code, message, docsUrl, requestId, details, status, idempotencyKey } = error
    const key = askedApproval(details) === undefined ? repeatingKey(error) : idempotencyKey
    return {
      exit: (status === 401 ? exitCodes.credentials : exitCodes.refused).code,
      error: {
        code,
        message,
        docs_url: docsUrl,
        request_id: requestId,
        details,
        ...(key === undefined ? {} : { idempotency_key: key }),
      },
    }
  }
  if (error instanceof ConnectionError) {
    const key = repeatingKey(error)
    return {
      exit: exitCodes.network.code,
      error: {
        code: 'connection_failed',
        message: withConnectionAdvice(error, io),
        ...(key === undefined ? {} : { idempotency_key: key }),
      },
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Interrupted) {
    const key = error.idempotencyKey!
    return { exit: interruptedCode, error: { code: 'interrupted', message, idempotency_key: key } }
  }
  if (error instanceof CredentialsError) {
    return { exit: exitCodes.credentials.code, error: { code: 'no_credentials', message } }
  }
  if (error instanceof Unverifiable) {
    return { exit: exitCodes.refused.code, error: { code: 'unverifiable', message } }
  }
  if (error instanceof UsageError || error instanceof CommanderError || isOfFile(error)) {
    const text = message.replace(/^error: /, '')
    return { exit: exitCodes.usage.code, error: { code: 'usage', message: text } }
  }
  const name = error instanceof DocexError ? error.name : 'internal'
  return { exit: exitCodes.refused.code, error: { code: name, message } }
}

const withConnectionAdvice = ({ message, cause }: ConnectionError, io: Io): string => {
  const { code = '' } = ((cause as Error | undefined)?.cause ?? {}) as { code?: string }
  const advice = [connectionAdvice.find(([codes]) => codes.test(code))?.[1], proxyAdvice(io)]
  const said = advice.filter((one) => one !== undefined)
  return said.length === 0 ? message : `${message.replace(/\.$/, '')}: ${said.join(' ')}`
}

const connectionAdvice: readonly [codes: RegExp, advice: string][] = [
  [
    /^(?:ECONNREFUSED|ENOTFOUND)$/,
    'nothing answers there. Name another service with docex login --base-url, or DOCEX_BASE_URL.',
  ],
  [
    /SELF_SIGNED|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/,
    'NODE_EXTRA_CA_CERTS=FILE makes Node.js trust the certificates of a file in PEM.',
  ],
  [/^ERR_SSL_WRONG_VERSION/, 'no TLS is spoken there. Is the address one of http://?'],
]

/** What a shell has set for other programs, Node.js does not use by itself. */
const proxyAdvice = ({ env }: Io): string | undefined => {
  const name = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((one) => env[one])
  if (name === undefined) return undefined
  return env['NODE_USE_ENV_PROXY'] === '1'
    ? `The connection went through ${name}, unless NO_PROXY names the address.`
    : `Node.js goes through ${name} only with NODE_USE_ENV_PROXY=1.`
}

/** A file that the command line names cannot be read or written; that of a folder has no path. */
const isOfFile = (error: unknown): boolean =>
  error instanceof Error &&
  'syscall' in error &&
  ('path' in error || ('code' in error && error.code === 'EISDIR'))

/** Says on stderr what went wrong, and returns the exit code. */
export const reportFailure = (io: Io, error: unknown, isJson: boolean): number => {
  const failure = failureOf(error, io)
  io.stderr.write(
    isJson ? `${JSON.stringify({ error: failure.error })}\n` : failureText(io, failure.error),
  )
  return failure.exit
}

/** No key has such a scope: a person has to sign in. */
const needsPerson = (details: unknown): boolean => {
  const { required_scopes: scopes } = (details ?? {}) as { required_scopes?: string[] }
  return scopes?.some((one) => one.endsWith('session')) === true
}

const personAdvice =
  '  sign in  docex login --device, or --profile with a session (docex profiles lists them)'

const credentialAdvice = '  sign in  docex login --device, or docex login with another key'

/** The message of the service has only the first of several problems. */
const problemLines = (message: string, problems: readonly Problem[]): string[] => {
  if (problems.length < 2)
    return [message, ...problems.flatMap(({ param, fix }) => (fix ? [`  ${param}: ${fix}`] : []))]
  const unlisted = /and \d+ more were found/.exec(message)?.[0]
  return [
    `${problems.length} problems${unlisted === undefined ? '' : `, ${unlisted}`}`,
    ...problems.flatMap(({ param, message: one, fix }) => [
      `  ${param === '' ? '' : `${param}: `}${one}`,
      ...(fix ? [`    ${fix}`] : []),
    ]),
  ]
}

const keyLines = (key: string, details: unknown): string[] => {
  const approval = askedApproval(details)
  if (approval !== undefined) return approvalLines(approval, key)
  return [
    '  It is not known whether the write took effect. To repeat it without a second effect:',
    `  --idempotency-key ${key}`,
  ]
}

const failureText = (io: Io, body: ErrorBody): string => {
  const { code, message, docs_url: docsUrl, request_id: requestId, details } = body
  const { errors = [] } = (details ?? {}) as { errors?: Problem[] }
  const [first, ...others] = problemLines(message, errors)
  const allowed = (details as { allowed?: string[] } | undefined)?.allowed
  const lines = [
    `${styled(stderrOf(io), 'red', 'error')} ${code}: ${first}`,
    ...others,
    ...(allowed === undefined ? [] : [`  allowed: ${allowed.join(', ') || 'nothing'}`]),
    ...(needsPerson(details) ? [personAdvice] : []),
    ...(code === 'unauthorized' ? [credentialAdvice] : []),
    ...(docsUrl ? [`  docs     ${docsUrl}`] : []),
    ...(requestId ? [`  request  ${requestId}`] : []),
    ...(body.idempotency_key === undefined ? [] : keyLines(body.idempotency_key, details)),
  ]
  return `${lines.map(withoutControls).join('\n')}\n`
}
