/**
 * Runs the two published verifiers on the same command lines; they must agree. One Python process
 * runs all command lines of a test.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outcomeOf } from '../../../verifier/verify-bundle.mjs'
import { callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'
import { root } from '../architecture/sources.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const folder = temporaryFolder()

let fileCount = 0

export const temporaryFile = (content: string | Uint8Array): string => {
  fileCount += 1
  const file = join(folder, `${fileCount}`)
  writeFileSync(file, content)
  return file
}

export interface Verdict {
  /** 0 valid, 1 invalid, 2 not pinned. */
  exitCode: number
  /** The check that failed. */
  check: string | undefined
  output: string
}

const pythonDriver = `
import json, sys
sys.path.insert(0, sys.argv[1])
sys.pycache_prefix = sys.argv[2]
import verify_bundle
for line in sys.stdin:
    code, text = verify_bundle.outcome_of(json.loads(line))
    print(json.dumps([code, text]))
`

/** Runs a program; without python3 the test fails and says how to install it. */
const runProgram = (
  program: string,
  args: readonly string[],
  input: string,
): { status: number; stdout: string } => {
  const result = spawnSync(program, args, { encoding: 'utf8', input, maxBuffer: 2 ** 28 })
  if (result.error !== undefined) {
    throw new Error(
      `this test needs python3 (Debian: apt install python3): ${result.error.message}`,
    )
  }
  assert.equal(result.stderr, '')
  return { status: result.status ?? -1, stdout: result.stdout }
}

/** Found once: `python3` may be a script that looks for it at every start, for half a second. */
let pythonPath: string | undefined

const findPython = (): string =>
  runProgram('python3', ['-c', 'import sys; print(sys.executable)'], '').stdout.trim()

/** Without what others have installed, and compiled once: two thirds of its start are saved. */
const runPython = (code: string, args: readonly string[], input = '') => {
  const options = ['-I', '-S', '-c', code, join(root, 'verifier'), join(folder, 'compiled')]
  return runProgram((pythonPath ??= findPython()), [...options, ...args], input)
}

const verdictOf = (exitCode: number, text: string): Verdict => ({
  exitCode,
  check: text.startsWith('{') ? (JSON.parse(text) as { check?: string }).check : undefined,
  output: text,
})

const asJson: readonly string[] = ['--json']

export const verifyWithNode = (args: readonly string[], output = asJson): Verdict => {
  const { exit, text } = outcomeOf([...args, ...output])
  return verdictOf(exit, text)
}

const verifyWithPython = (lines: readonly (readonly string[])[], output = asJson): Verdict[] => {
  const input = lines.map((args) => `${JSON.stringify([...args, ...output])}\n`).join('')
  const { stdout } = runPython(pythonDriver, [], input)
  const outcomes = stdout.trim().split('\n')
  assert.equal(outcomes.length, lines.length)
  return outcomes.map((line) => verdictOf(...(JSON.parse(line) as [number, string])))
}

/**
 * Returns the verdict on each command line; both verifiers must name the same failed check, and say
 * the same of what is valid.
 */
export const verifyWithBoth = (lines: readonly (readonly string[])[], output = asJson): Verdict[] =>
  verifyWithPython(lines, output).map((theirs, i) => {
    const ours = verifyWithNode(lines[i]!, output)
    const message = `${lines[i]!.join(' ')}: Node ${ours.output}, Python ${theirs.output}`
    assert.deepEqual([ours.exitCode, ours.check], [theirs.exitCode, theirs.check], message)
    if (ours.exitCode !== 1) assert.deepEqual(valueOf(ours.output), valueOf(theirs.output))
    return ours
  })

const valueOf = (output: string): unknown =>
  output.startsWith('{') ? (JSON.parse(output) as unknown) : output

/** Fetches the keys of the caller's log into a trust file for the verifiers. */
export const fetchTrustFile = async (
  running: Pick<TestService, 'baseUrl'>,
  key: string,
): Promise<string> => {
  const { text } = await callApi(running, 'GET', '/v1/log/keys', { key })
  return temporaryFile(text)
}

/** Each caller's bundle of the document verifies with the published keys. */
export const assertBundlesHold = async (
  running: Pick<TestService, 'baseUrl'>,
  id: string,
  keys: readonly string[],
): Promise<void> => {
  const trust = await fetchTrustFile(running, keys[0]!)
  for (const key of keys) {
    const bundle = await callApi(running, 'GET', `/v1/documents/${id}/export`, { key })
    assert.equal(bundle.status, 200, bundle.text)
    const [verdict] = verifyWithBoth([[temporaryFile(bundle.text), '--trust', trust]])
    assert.equal(verdict!.exitCode, 0, verdict!.output)
  }
}

/** Evaluates an expression over each `case` in verify_bundle.py; a failure yields its check. */
export const evaluateInPython = (expression: string, cases: readonly unknown[]): unknown[] => {
  const code = `
import sys, json
sys.path.insert(0, sys.argv[1])
sys.pycache_prefix = sys.argv[2]
from verify_bundle import *
def evaluate(case):
    try:
        return ${expression}
    except Failure as failure:
        return failure.check
print(json.dumps([evaluate(case) for case in json.load(open(sys.argv[3]))]))`
  const { stdout } = runPython(code, [temporaryFile(JSON.stringify(cases))])
  return JSON.parse(stdout)
}

/** Vectors published by others; every file names its source. */
export const externalVectorsDir = join(root, 'test/vectors/external')

// oxlint-disable-next-line typescript/no-explicit-any -- each file has its own shape
export const externalVectors = (name: string): any =>
  JSON.parse(readFileSync(join(externalVectorsDir, name), 'utf8'))
