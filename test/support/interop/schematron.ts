/**
 * Compiles rules to what Saxon-JS and Saxon-HE run: Schematron to XSLT by SchXslt, and XSLT to the
 * format of Saxon-JS. What was compiled is kept per machine, named by the digest of its source.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

export const tools = createRequire(join(root, 'tools/package.json'))

export const cacheFolder = join(homedir(), '.cache/docex-interop')

/** By content, so that a new release of the rules is compiled anew. */
export const compiledFile = (source: string, extension: 'sef.json' | 'xslt'): string => {
  const digest = createHash('sha256').update(readFileSync(source)).digest('hex')
  return join(cacheFolder, `${digest.slice(0, 32)}.${extension}`)
}

/** Runs the compiler of Saxon-JS. A file that is there is complete. */
const xslt3 = async (target: string, option: string, options: readonly string[]): Promise<void> => {
  if (existsSync(target)) return
  mkdirSync(join(target, '..'), { recursive: true })
  const unfinished = `${target}.${process.pid}`
  const args = [tools.resolve('xslt3/xslt3.js'), ...options, `${option}:${unfinished}`]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const code = await new Promise((done) => child.once('exit', done))
  assert.equal(code, 0, `xslt3 failed: ${options.join(' ')}`)
  renameSync(unfinished, target)
}

/** Half a minute of CPU for each set of rules, once. */
export const compileXslt = (source: string): Promise<void> =>
  xslt3(compiledFile(source, 'sef.json'), '-export', [`-xsl:${source}`, '-nogo'])

const schxslt = join(import.meta.dirname, 'schxslt/pipeline-for-svrl.xsl')

/** Three seconds of CPU. */
export const compileSchematron = async (source: string): Promise<string> => {
  const target = compiledFile(source, 'xslt')
  await xslt3(target, '-o', [`-s:${source}`, `-xsl:${schxslt}`])
  return target
}
