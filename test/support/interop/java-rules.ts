/**
 * A second engine for the official rules: Saxon-HE 9.9 on Java, as Debian has it (libsaxonhe-java).
 * It runs the rules as published, over a folder at a time, many times faster than Saxon-JS.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasProgram } from '../processes/has-program.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type BrokenRule, type RuleSet, brokenRulesOf, rulesFile } from './official-rules.ts'

const archive = '/usr/share/java/Saxon-HE.jar'

/**
 * A process takes some seconds, in which the second compiler of Java costs more than it saves: some
 * hundred documents take half of the CPU time without it.
 */
const options = ['-Xmx1g', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']

/** For `skip`: false where the engine is installed. */
export const withoutJava: string | false =
  hasProgram('java') && existsSync(archive)
    ? false
    : 'NOT TESTED: needs java and libsaxonhe-java (apt-get install libsaxonhe-java)'

/** A folder with a file for each document, named by its index. */
export const folderOf = (documents: readonly string[]): string => {
  const folder = temporaryFolder()
  for (const [i, xml] of documents.entries()) writeFileSync(join(folder, `${i}.xml`), xml)
  return folder
}

/** The rules that each document of such a folder breaks, in the same order. */
export const rulesBrokenByJava = (rules: RuleSet, folder: string): Promise<BrokenRule[][]> =>
  brokenByJava(rulesFile(rules), folder)

export const brokenByJava = async (stylesheet: string, folder: string): Promise<BrokenRule[][]> => {
  const reports = temporaryFolder()
  const java = [...options, '-cp', archive, 'net.sf.saxon.Transform']
  const files = [`-s:${folder}`, `-xsl:${stylesheet}`, `-o:${reports}`]
  const child = spawn('java', [...java, ...files], { stdio: ['ignore', 'inherit', 'inherit'] })
  const code = await new Promise((done) => child.once('exit', done))
  assert.equal(code, 0, `${stylesheet} failed`)
  const count = readdirSync(folder).length
  assert.equal(readdirSync(reports).length, count, 'a report for each document')
  const broken = Array.from({ length: count }, (_, i) =>
    brokenRulesOf(readFileSync(join(reports, `${i}.xml`), 'utf8')),
  )
  rmSync(reports, { recursive: true })
  return broken
}
