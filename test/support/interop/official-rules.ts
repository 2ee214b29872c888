/**
 * The official rules, run by Saxon-JS: an oracle that is none of ours (docs/decisions/0101). The
 * artefacts lie beside the checkout, or in INTEROP_DIR, and are compiled once per machine.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

export const interopDirectory = resolve(root, process.env.INTEROP_DIR ?? '../shared/interop')

/** Whose rules: EN 16931 1.3.16 in both syntaxes, and Peppol BIS Billing 3.0.21. */
export const ruleSets = {
  'en16931-ubl': 'en16931/EN16931-UBL-validation.xslt',
  'en16931-cii': 'en16931/EN16931-CII-validation.xslt',
  'peppol-ubl': 'peppol/rules-2026.5/PEPPOL-EN16931-UBL.xslt',
  'peppol-cii': 'peppol/rules-2026.5/PEPPOL-EN16931-CII.xslt',
  'peppol-order': 'peppol/rules-2026.5/PEPPOLBIS-T01.xslt',
  'peppol-despatch-advice': 'peppol/rules-2026.5/PEPPOLBIS-T16.xslt',
  'peppol-invoice-response': 'peppol/rules-2026.5/PEPPOLBIS-T111.xslt',
} as const

export type RuleSet = keyof typeof ruleSets

const isThere = (path: string): boolean => existsSync(join(interopDirectory, path))

/**
 * For `skip`: false where all of these rules lie beside the checkout. Those of Peppol for CII are
 * published as Schematron only, so that they are compiled before they are put there.
 */
export const withoutRules = (...sets: readonly RuleSet[]): string | false => {
  const absent = sets.map((rules) => ruleSets[rules]).find((path) => !isThere(path))
  return absent !== undefined && `NOT TESTED: ${join(interopDirectory, absent)} is absent`
}

const tools = createRequire(join(root, 'tools/package.json'))

/** By content, so that a new release of the rules is compiled anew. */
const compiledFile = (rules: RuleSet): string => {
  const digest = createHash('sha256').update(readFileSync(join(interopDirectory, ruleSets[rules])))
  return join(homedir(), '.cache/docex-interop', `${digest.digest('hex').slice(0, 32)}.sef.json`)
}

/** Half a minute of CPU for each set of rules, once. */
export const compileRules = async (rules: RuleSet): Promise<void> => {
  const file = compiledFile(rules)
  if (existsSync(file)) return
  mkdirSync(join(file, '..'), { recursive: true })
  const unfinished = `${file}.${process.pid}`
  const source = join(interopDirectory, ruleSets[rules])
  const compiler = tools.resolve('xslt3/xslt3.js')
  const options = [`-xsl:${source}`, `-export:${unfinished}`, '-nogo']
  const child = spawn(process.execPath, [compiler, ...options], { stdio: 'inherit' })
  const code = await new Promise((done) => child.once('exit', done))
  assert.equal(code, 0, `xslt3 failed to compile ${source}`)
  renameSync(unfinished, file)
}

/** What we use of Saxon-JS, which has no types. */
interface Saxon {
  transform(options: object, execution: 'sync'): { principalResult: string }
  getResource(options: { text: string; type: 'xml' }): Promise<unknown>
  XPath: { evaluate(path: string, context: unknown, options?: object): unknown }
  serialize(node: unknown): string
}

const saxon = tools('saxon-js') as Saxon

export interface BrokenRule {
  rule: string
  isFatal: boolean
}

/** A function from a document to the rules that it breaks. */
export const officialRules = (rules: RuleSet): ((xml: string) => BrokenRule[]) => {
  const stylesheetInternal = JSON.parse(readFileSync(compiledFile(rules), 'utf8')) as object
  return (sourceText) => {
    const options = { stylesheetInternal, sourceText, destination: 'serialized' }
    return brokenRulesOf(saxon.transform(options, 'sync').principalResult)
  }
}

/** What a report in the Schematron Validation Report Language says. */
export const brokenRulesOf = (report: string): BrokenRule[] =>
  [...report.matchAll(/<svrl:(?:failed-assert|successful-report)([^>]*)>/g)].map(
    ([, attributes = '']) => ({
      rule: /\bid="([^"]*)"/.exec(attributes)?.[1] ?? '',
      isFatal: /\bflag="([^"]*)"/.exec(attributes)?.[1] !== 'warning',
    }),
  )

export interface Expectation {
  rule: string
  outcome: 'success' | 'error' | 'fatal' | 'warning'
}

export interface OfficialTest {
  expectations: Expectation[]
  xml: string
}

/** Without any line of an address, the official rules miss all of it instead of its country. */
export const insteadOf: Readonly<Record<string, string>> = { 'BR-09': 'BR-08', 'BR-11': 'BR-10' }

/** Where the official unit tests are, and of which rules. */
export const officialSuites: readonly { folder: string; rules: RuleSet }[] = [
  { folder: 'en16931/test/Invoice-unit-UBL', rules: 'en16931-ubl' },
  { folder: 'en16931/test/CreditNote-unit-UBL', rules: 'en16931-ubl' },
  { folder: 'en16931/test/cii', rules: 'en16931-cii' },
  { folder: 'peppol/unit-UBL-PEPPOL', rules: 'peppol-ubl' },
  { folder: 'peppol/unit-CII-PEPPOL', rules: 'peppol-cii' },
]

/** Rules that the unit tests still expect, which are a release older. */
const withdrawn = new Set(['PEPPOL-COMMON-R048'])

/** The expectations that the rules which a document breaks do not meet. */
export const disagreements = (
  { expectations }: OfficialTest,
  broken: readonly BrokenRule[],
): string[] => {
  const rules = new Set(broken.map(({ rule }) => rule))
  return expectations
    .filter(({ rule, outcome }) => rules.has(rule) !== (outcome !== 'success'))
    .map(({ rule, outcome }) => `${rule} ${outcome}`)
}

/** The unit tests of one official file: a document each, and what it must and must not break. */
export const officialTests = async (file: string): Promise<OfficialTest[]> => {
  const text = readFileSync(file, 'utf8')
  const parsed = await saxon.getResource({ text, type: 'xml' })
  const each = (path: string, context: unknown): unknown[] =>
    saxon.XPath.evaluate(`array{${path}}`, context) as unknown[]
  return each("//*[local-name() = 'test']", parsed).map((test) => ({
    expectations: each('*[1]/*', test)
      .map((node) => ({
        outcome: saxon.XPath.evaluate('local-name()', node) as Expectation['outcome'],
        rule: saxon.XPath.evaluate('normalize-space()', node) as string,
      }))
      .filter(({ outcome }) => ['success', 'error', 'fatal', 'warning'].includes(outcome))
      .filter(({ rule }) => !withdrawn.has(rule)),
    xml: saxon.serialize(saxon.XPath.evaluate('*[last()]', test)),
  }))
}
