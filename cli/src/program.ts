/** The commands, and one run of them. Nothing here knows the process. */
import { Command, CommanderError } from 'commander'
import { ApiError } from '../../sdk/src/errors.ts'
import { addIdentity } from './commands/identity.ts'
import { addListen } from './commands/listen.ts'
import { addLogs } from './commands/logs.ts'
import { addOperations } from './commands/operations.ts'
import { addProfiles } from './commands/profiles.ts'
import { addRawCalls } from './commands/raw.ts'
import { addResend } from './commands/resend.ts'
import { addSandbox } from './commands/sandbox.ts'
import { addTools } from './commands/tools.ts'
import { addVerify } from './commands/verify.ts'
import {
  FailedResult,
  Interrupted,
  UsageError,
  exitCodes,
  interruptedCode,
  reportFailure,
} from './failures.ts'
import { operationCommands } from './generated/commands.ts'
import { cliVersion } from './generated/version.ts'
import type { Io } from './io.ts'
import { refuseSecrets } from './secrets.ts'

const description = `Document Exchange Service from the command line. Every operation is a command:
docex <resource> <verb>. Ids are positional, filters and common fields are flags.`

const help = `
Examples:
  docex sandbox use                            take the keys of a local service
  docex documents list --status approved
  docex documents issue doc_… --json
  docex listen --forward-to http://localhost:3000/webhooks

Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${code}  ${meaning}`)
  .join('\n')}

Environment:
  DOCEX_API_KEY, DOCEX_BASE_URL, DOCEX_PROFILE, DOCEX_CONFIG_DIR, NO_COLOR`

export const programOf = (io: Io): Command => {
  const program = new Command('docex')
    .description(description)
    .version(cliVersion)
    .option('--json', 'JSON instead of tables, also for errors; a line each in streams.')
    .option('--profile <name>', 'Another profile than the one in use.')
    .option('--non-interactive', 'Never ask anything.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 100, 100),
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
    .addHelpText('after', help)
  addIdentity(program, io)
  addProfiles(program, io)
  addRawCalls(program, io)
  addOperations(program, io, operationCommands)
  for (const add of [addListen, addLogs, addResend, addSandbox, addTools, addVerify])
    add(program, io)
  return program
}

/** Runs one command line and returns its exit code. */
export const run = async (argv: readonly string[], io: Io): Promise<number> => {
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const isJson = options.includes('--json')
  try {
    refuseSecrets(argv)
    const program = programOf(io)
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync([...argv], { from: 'user' })
    return exitCodes.ok.code
  } catch (error) {
    if (error instanceof Interrupted && error.idempotencyKey === undefined) {
      return interruptedCode
    }
    // Nobody reads any more, or Ctrl-C: only what a write became is worth saying.
    if (io.signal.aborted && !isOfWrite(error)) return exitCodes.ok.code
    if (error instanceof FailedResult) return exitCodes.refused.code
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok.code
    return reportFailure(io, withAdvice(error, options), isJson)
  }
}

/** No answer to a write came, or one that refuses it. */
const isOfWrite = (error: unknown): boolean =>
  error instanceof Interrupted || (error instanceof ApiError && error.idempotencyKey !== undefined)

/** A group without its verb gets no message from commander, only its help. */
const withAdvice = (error: unknown, argv: readonly string[]): unknown => {
  if (!(error instanceof CommanderError) || error.code !== 'commander.help') return error
  const words = argv.filter((one) => !one.startsWith('-')).join(' ')
  return new UsageError(`Say what to do: docex ${words} --help lists the commands.`)
}
