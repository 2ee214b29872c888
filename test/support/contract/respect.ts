/** Runs journeys with `redocly respect` of tools/, which calls nothing but the given service. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inheritedEnvironment } from '../processes/program.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const tools = resolve(import.meta.dirname, '../../../tools')
const program = join(tools, 'node_modules/@redocly/cli/bin/cli.js')

/** In CI its absence is a failure. */
export const withoutRespect =
  !existsSync(program) && process.env['CI'] !== 'true' && 'npm run check installs tools/'

export interface ExecutedStep {
  stepId: string
  request: { url: string }
  checks: { name: string; status: 'success' | 'warn' | 'error'; condition?: string }[]
}

export interface JourneyRun {
  exitCode: number
  /** For a person. */
  output: string
  steps: readonly ExecutedStep[]
}

interface JsonOutput {
  files: Record<string, { executedWorkflows: { executedSteps: ExecutedStep[] }[] }>
}

export const runJourney = (
  file: string,
  baseUrl: string,
  inputs: Readonly<Record<string, string>>,
): Promise<JourneyRun> => {
  const result = join(temporaryFolder(), 'result.json')
  const servers = ['docex', 'auth'].flatMap((name) => ['--server', `${name}=${baseUrl}`])
  const env = {
    ...inheritedEnvironment,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    REDOCLY_CLI_RESPECT_INPUT: JSON.stringify(inputs),
  }
  const args = [program, 'respect', file, ...servers, '--json-output', result]
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: tools, env }, (error, stdout, stderr) => {
      const output = stdout + stderr
      if (!existsSync(result)) return done({ exitCode: 2, output, steps: [] })
      const { files } = JSON.parse(readFileSync(result, 'utf8')) as JsonOutput
      const workflows = Object.values(files).flatMap((one) => one.executedWorkflows)
      const steps = workflows.flatMap((one) => one.executedSteps)
      done({ exitCode: error === null ? 0 : 1, output, steps })
    })
  })
}
