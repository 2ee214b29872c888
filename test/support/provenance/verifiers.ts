/**
 * The two published verifiers, side by side: every command line is given to both, and they have to
 * agree. Python runs as one process over all of a test's command lines.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { outcomeOf } from '../../../verifier/verify-bundle.mjs'
import { type TestService, callApi } from '../service.ts'
import { root } from '../architecture/sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'docex-bundles-'))
after(() => rm(folder, { recursive: true, force: true }))

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
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import verify_bundle
for line in sys.stdin:
    code, text = verify_bundle.outcome_of(json.loads(line) + ["--json"])
    print(json.dumps([code, text]))
`

/** Runs Python; a machine without it fails the test with a line that says so. */
const runPython = (args: readonly string[], input = ''): { status: number; stdout: string } => {
  const done = spawnSync('python3', args, { encoding: 'utf8', input, maxBuffer: 2 ** 28 })
  if (done.error !== undefined) {
    throw new Error(`this test needs python3 (Debian: apt install python3): ${done.error.message}`)
  }
  assert.equal(done.stderr, '')
  return { status: done.status ?? -1, stdout: done.stdout }
}

const verdictOf = (exitCode: number, text: string): Verdict => ({
  exitCode,
  check: (JSON.parse(text) as { check?: string }).check,
  output: text,
})

export const verifyWithNode = (args: readonly string[]): Verdict => {
  const { exit, text } = outcomeOf([...args, '--json'])
  return verdictOf(exit, text)
}

export const verifyWithPython = (lines: readonly (readonly string[])[]): Verdict[] => {
  const input = lines.map((args) => `${JSON.stringify(args)}\n`).join('')
  const { stdout } = runPython(['-c', pythonDriver, join(root, 'verifier')], input)
  const outcomes = stdout.trim().split('\n')
  assert.equal(outcomes.length, lines.length)
  return outcomes.map((line) => verdictOf(...(JSON.parse(line) as [number, string])))
}

/** What both say of each command line; they must say the same, down to the check that failed. */
export const verifyWithBoth = (lines: readonly (readonly string[])[]): Verdict[] =>
  verifyWithPython(lines).map((theirs, i) => {
    const ours = verifyWithNode(lines[i]!)
    const disagreement = `${lines[i]!.join(' ')}: Node ${ours.output}, Python ${theirs.output}`
    assert.deepEqual([ours.exitCode, ours.check], [theirs.exitCode, theirs.check], disagreement)
    return ours
  })

/** The keys of the caller's log, as the verifiers take them. */
export const fetchTrustFile = async (
  running: Pick<TestService, 'baseUrl'>,
  key: string,
): Promise<string> => {
  const { text } = await callApi(running, 'GET', '/v1/log/keys', { key })
  return temporaryFile(text)
}

/** Answers of verify_bundle.py, one for each expression over `case`. */
export const evaluateInPython = (expression: string, cases: readonly unknown[]): unknown[] => {
  const code = `
import sys, json
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from verify_bundle import *
def answer(case):
    try:
        return ${expression}
    except Failure as failure:
        return failure.check
print(json.dumps([answer(case) for case in json.load(open(sys.argv[2]))]))`
  const { stdout } = runPython([
    '-c',
    code,
    join(root, 'verifier'),
    temporaryFile(JSON.stringify(cases)),
  ])
  return JSON.parse(stdout)
}

/** Data of others; every file names its source. */
export const externalVectorsDir = join(root, 'test/vectors/external')

// oxlint-disable-next-line typescript/no-explicit-any -- files of others, of every shape
export const externalVectors = (name: string): any =>
  JSON.parse(readFileSync(join(externalVectorsDir, name), 'utf8'))
