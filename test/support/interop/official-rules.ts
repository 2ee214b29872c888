/**
 * The official rules, run by Saxon-JS: an oracle that is none of ours (docs/decisions/0101). The
 * artefacts lie beside the checkout, or in INTEROP_DIR, and are compiled once per machine.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { builtPeppolCii } from './peppol-cii.ts'
import { compileXslt, compiledFile, tools } from './schematron.ts'

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

/** Beside the checkout; those of Peppol for CII may have been built on this machine instead. */
export const rulesFile = (rules: RuleSet): string => {
  const beside = join(interopDirectory, ruleSets[rules])
  if (rules !== 'peppol-cii' || existsSync(beside)) return beside
  return builtPeppolCii() ?? beside
}

/** For `skip`: false where all of these rules are at hand. */
export const withoutRules = (...sets: readonly RuleSet[]): string | false => {
  const absent = sets.map(rulesFile).find((file) => !existsSync(file))
  return absent !== undefined && `NOT TESTED: ${absent} is absent`
}

export const compileRules = (rules: RuleSet): Promise<void> => compileXslt(rulesFile(rules))

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
export const officialRules = (rules: RuleSet): ((xml: string) => BrokenRule[]) =>
  rulesOf(rulesFile(rules))

/** The same for any stylesheet that `compileXslt` has compiled. */
export const rulesOf = (stylesheet: string): ((xml: string) => BrokenRule[]) => {
  const compiled = readFileSync(compiledFile(stylesheet, 'sef.json'), 'utf8')
  const stylesheetInternal = JSON.parse(compiled) as object
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
