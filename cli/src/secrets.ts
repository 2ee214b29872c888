/** Other users of a machine see the arguments of its processes, and shells write them to a file. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CredentialsError, Interrupted, UsageError } from './failures.ts'
import type { Io } from './io.ts'

/** API keys, session tokens and signing secrets. The public prefix of a key is shorter. */
const secretForm = /(?:rk|rs)_(?:live|test)_[0-9A-Za-z_-]{20,}|whsec_[0-9A-Za-z+/=_-]{8,}/

export const refuseSecrets = (argv: readonly string[]): void => {
  const at = argv.findIndex((one) => secretForm.test(one))
  if (at === -1) return
  throw new UsageError(
    `Argument ${at + 1} contains a secret, which other processes can read. Revoke it if the machine` +
      ' is shared. Use `docex login`, which reads it from a prompt or stdin, or set DOCEX_API_KEY.',
  )
}

/** A line from a prompt without echo, or the first line of stdin. */
export const readSecret = async (io: Io, name: string, isPrompting: boolean): Promise<string> => {
  const isTerminal = io.stdin.isTTY === true
  if (isTerminal && !isPrompting) {
    throw new CredentialsError(
      `${name}: with --non-interactive, send it on stdin or set DOCEX_API_KEY.`,
    )
  }
  if (isTerminal) io.stderr.write(`${name}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: io.stdin,
    output: silent,
    terminal: isTerminal,
    signal: io.signal,
  })
  // A terminal that echoes nothing makes no signal of Ctrl-C.
  let isInterrupted = false
  lines.once('SIGINT', () => {
    isInterrupted = true
    lines.close()
  })
  try {
    for await (const line of lines) return line.trim()
    if (isInterrupted) throw new Interrupted()
    return ''
  } finally {
    lines.close()
    if (isTerminal) io.stderr.write('\n')
  }
}
