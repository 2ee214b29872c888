/** What a file says → the body of a draft, or the rules that keep it from being one (domain 7). */
import { currencies } from '../../contract/currencies.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import type { DocumentCreate } from '../../contract/shapes/documents.ts'
import type { ImportReport, ImportWarning } from '../../contract/shapes/imports.ts'
import { isDate } from '../dates.ts'
import { deriveTerms } from '../documents/payment-terms.ts'
import { dueDateProblem, termsTextProblem } from '../documents/terms-problems.ts'
import { computeTotals } from '../documents/totals.ts'
import { isLine, isText } from '../forbidden-characters.ts'
import { decodeId } from '../ids.ts'
import { minorText, moneyBounds } from '../money.ts'
import { noTerms, withoutMarks } from './exported-document.ts'
import { amountProblems, unsupportedAmounts } from './import-amounts.ts'
import { type LineFacts, lineOf } from './import-lines.ts'
import { understoodIn } from './import-report.ts'
import { type ImportRule, brokenRule } from './import-rules.ts'
import type { ImportedDocument, ImportedParty } from './imported-document.ts'
import { termsDiffer, tooLong } from './left-off-texts.ts'

export type ImportedDraft = Omit<DocumentCreate, 'connection_id' | 'references'>

export type ImportResult =
  | {
      ok: true
      draft: ImportedDraft
      report: Omit<ImportReport, 'warnings'>
      /** About texts that were left off. */
      warnings: ImportWarning[]
      buyer: ImportedParty
      payment: Pick<ImportedDocument, 'payee' | 'accounts'>
      /** With tax, in major units. */
      total: string
      creditedInvoices: string[]
    }
  | { ok: false; problems: Problem[] }

const typesByCode = new Map([
  ['380', 'invoice'],
  ['381', 'credit_note'],
] as const satisfies [string, string][])

export const draftOf = (file: ImportedDocument): ImportResult => {
  const problems: Problem[] = [...headerProblems(file), ...unsupportedAmounts(file)]
  const wrongCount = lineCountProblem(file)
  if (wrongCount !== undefined) return refused([...problems, wrongCount])
  const warnings: ImportWarning[] = []
  const facts: LineFacts = { problems, warnings, ignored: file.ignored }
  const complete = file.lines.flatMap((line, i) => lineOf(line, i, facts) ?? [])
  if (problems.length > 0) return refused(problems)
  const priced = computeTotals(complete)
  if (!priced.ok) return refused(priced.problems.map(boundProblem))
  problems.push(...amountProblems(file, complete, priced.totals))
  if (problems.length > 0) return refused(problems)
  const { fields, header } = headerOf(file, warnings)
  const terms = isWithoutTerms(file) ? {} : { payment_terms: null }
  const draft = { ...terms, ...fields, line_items: complete } as ImportedDraft
  const understood = understoodIn(file, { header, lines: complete, totals: priced.totals })
  const { format, ignored, buyer, creditedInvoices, payee, accounts } = file
  const total = minorText(priced.totals.total)
  return {
    ok: true,
    draft,
    report: { format, understood, ignored },
    warnings,
    buyer,
    payment: { payee, accounts },
    total,
    creditedInvoices,
  }
}

const refused = (problems: Problem[]): ImportResult => ({ ok: false, problems })

const headerProblems = (file: ImportedDocument): Problem[] => {
  const { typeCode, currency, amountCurrencies, date } = file
  const another = amountCurrencies.find((one) => currency !== null && one !== currency)
  return [
    ...(typeCode !== null && typesByCode.has(typeCode as never)
      ? []
      : [brokenRule('BT-3', wrong('type', typeCode, 'which is not imported'), otherType)]),
    ...(currencies.includes(currency as never)
      ? []
      : [brokenRule('BT-5', wrong('currency', currency, 'which no document has'), inOurs)]),
    ...(another === undefined
      ? []
      : [brokenRule('PEPPOL-EN16931-R051', `An amount is in ${another.slice(0, 10)}.`, inOne)]),
    ...(date !== null && isDate(date)
      ? termsProblems(file, date)
      : [brokenRule('BR-03', wrong('date of issue', date, 'which is no date'), dateOf(file))]),
  ]
}

const wrong = (name: string, value: string | null, reason: string): string =>
  value === null ? `The ${name} is missing.` : `The ${name} is ${value.slice(0, 30)}, ${reason}.`

const otherType =
  'send an invoice (380, or invoice in a CSV) or a credit note (381, or credit_note); a corrected invoice is both here'

const inOurs = `send a file in one of ${currencies.join(', ')}`

/** CII has a form of its own. */
const dateOf = ({ format }: ImportedDocument): string =>
  format === 'cii' || format === 'facturx'
    ? 'write it as CCYYMMDD with format="102", such as 20261121'
    : 'write it as YYYY-MM-DD, such as 2026-11-21'

/** The bounds of a due date, or of the text where there is none. */
const termsProblems = (file: ImportedDocument, date: string): Problem[] => {
  const { dueDate, paymentTerms } = file
  if (dueDate !== null && !isDate(dueDate))
    return [brokenRule('BT-9', wrong('due date', dueDate, 'which is no date'), dateOf(file))]
  const ofDate = dueDate === null ? undefined : dueDateProblem(dueDate, date)
  if (ofDate !== undefined)
    return [brokenRule('BT-9', `The due date: ${ofDate.message}`, ofDate.fix)]
  const isTaken = dueDate === null && paymentTerms !== null && isTerms(paymentTerms)
  const ofText = isTaken ? termsTextProblem(paymentTerms, date) : undefined
  return ofText === undefined
    ? []
    : [brokenRule('BT-20', `The terms: ${ofText.message}`, ofText.fix)]
}

const isWithoutTerms = ({ dueDate, paymentTerms: text }: ImportedDocument): boolean =>
  dueDate === null && (text === null || text === noTerms)

const isTerms = (text: string): boolean => isLine(text, limits.paymentTermsMaxLength)

const lineCountProblem = ({ lines: { length } }: ImportedDocument): Problem | undefined => {
  const { min, max } = moneyBounds.lines
  if (length < min) return brokenRule('BR-16', 'The file has no line.', 'send one with its lines')
  if (length <= max) return undefined
  const tooMany = `The file has ${length} lines, and a document at most ${max}.`
  return brokenRule('BG-25', tooMany, 'divide it into several documents')
}

const rulesOfFields = new Map<string | undefined, ImportRule>([
  ['quantity', 'BT-129'],
  ['unit_price', 'BR-27'],
  ['tax_rate', 'BT-152'],
  ['discount_value', 'BG-27'],
])

/** A bound of line items, such as `/line_items/0/quantity`, by the term of the file. */
const boundProblem = ({ param, message, fix }: Problem): Problem => {
  const [, , index, field] = param.split('/')
  if (index === undefined) return brokenRule('BT-112', message, fix)
  const rule = rulesOfFields.get(field) ?? 'BT-131'
  return brokenRule(rule, `Line ${Number(index) + 1}: ${message}`, fix)
}

const inOne = 'send a file whose amounts are all in its currency (BT-5)'

/** The fields beside the lines, and which term of EN 16931 each came from. */
const headerOf = (file: ImportedDocument, warnings: ImportWarning[]) => {
  const fields: Record<string, unknown> = {}
  const references: Record<string, string> = {}
  const header: ImportReport['understood'] = []
  const take = (field: string, term: string, value: string): void => {
    const [parent, name] = field.split('.')
    if (name === undefined) fields[field] = value
    else references[name] = value
    header.push({ field, term, value: value.slice(0, 100) })
    if (parent === 'external_refs') fields['external_refs'] = references
  }
  const takeLine = (field: string, term: string, value: string | null, maxLength: number) => {
    if (value === null) return
    if (isLine(value, maxLength)) take(field, term, value)
    else file.ignored.push({ source: term, value: value.slice(0, 100) })
    if (value.length > maxLength) warnings.push(tooLong(field, value, maxLength))
  }
  take('document_type', 'BT-3', typesByCode.get(file.typeCode as never)!)
  take('currency', 'BT-5', file.currency!)
  take('document_date', 'BT-2', file.date!)
  const refs = [
    ['external_refs.issuer_ref', 'BT-1', file.number],
    ['external_refs.buyer_ref', 'BT-10', buyerReferenceIn(file)],
    ['external_refs.order_ref', 'BT-13', file.orderNumber],
  ] as const
  for (const [field, term, value] of refs)
    takeLine(field, term, value, limits.openMapValueMaxLength)
  takeTerms(file, { take, takeLine, warnings })
  const notes = notesOf(file)
  const { notesMaxLength } = limits
  if (notes.length > notesMaxLength) warnings.push(tooLong('notes', notes, notesMaxLength))
  if (notes.length > notesMaxLength || !isText(notes))
    file.ignored.push({ source: 'BT-22', value: notes.slice(0, 100) })
  else if (notes !== '') take('notes', 'BT-22', notes)
  takeCredited(file, header)
  return { fields, header }
}

/** A connection stands for a reference that the buyer has not given (`buyerReferenceOf`). */
const buyerReferenceIn = ({ buyerReference: text, ignored }: ImportedDocument): string | null => {
  if (text === null || decodeId('con', text) === undefined) return text
  ignored.push({ source: 'BT-10', value: text })
  return null
}

/** Without the marks of an export, which the next one makes anew if they hold for it. */
const notesOf = ({ notes, ignored }: ImportedDocument): string => {
  const unmarked = notes.map(withoutMarks)
  const marks = new Set(unmarked.flatMap((note) => note.marks))
  ignored.push(...[...marks].map((value) => ({ source: 'BT-22', value })))
  return unmarked
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n')
}

/** Only a credit note refers to what it credits. */
const takeCredited = (
  { typeCode, creditedInvoices, ignored }: ImportedDocument,
  header: ImportReport['understood'],
): void => {
  for (const number of creditedInvoices) {
    const value = number.slice(0, 100)
    if (typeCode === '381') header.push({ field: 'references', term: 'BT-25', value })
    else if (ignored.length < interopLimits.importReportMaxEntries)
      ignored.push({ source: 'BT-25', value })
  }
}

interface Takers {
  take(field: string, term: string, value: string): void
  takeLine(field: string, term: string, value: string | null, maxLength: number): void
  warnings: ImportWarning[]
}

/**
 * A text that contradicts the due date is ignored: the date is what people pay by. Without either,
 * the draft gets the default of its connection, but not in place of a text that has no place here.
 */
const takeTerms = (file: ImportedDocument, { take, takeLine, warnings }: Takers): void => {
  const { paymentTerms: text, dueDate: due, date } = file
  const agree = deriveTerms({ payment_terms: text, due_date: due, document_date: date! }).ok
  if (due !== null) take('due_date', 'BT-9', due)
  const { paymentTermsMaxLength: maxLength } = limits
  const isTaken = agree || due === null || (text !== null && text.length > maxLength)
  if (isTaken && text !== noTerms) takeLine('payment_terms', 'BT-20', text, maxLength)
  else if (text !== null) file.ignored.push({ source: 'BT-20', value: text.slice(0, 100) })
  if (!isTaken && text !== noTerms) warnings.push(termsDiffer(text!, due))
}
