/**
 * The texts of a document that its PDF prints, and whether its font has their characters. The table
 * is that of the font in src/pdf/fonts (a test compares them): only the threads that make PDFs load
 * the font itself.
 */
import type { Side } from '../../contract/document-types.ts'
import type { ExportRule } from './export-rule.ts'
import type { ExportedDocument } from './exported-document.ts'

/** Ranges of code points in hexadecimal. */
const ranges = [
  '0020-007e 00a0-00ac 00ae-0148 014a-01c3 01c5-024f 0259 02b0-02dd 0300-0304 0306-030a',
  '030c 030f 0313 0315 031b 0323 0326-0328 032c 0337-0338 0342-0343 0374-0376 037a-037f',
  '0384-038a 038c 038e-03a1 03a3-03d7 03dc-03dd 03f0-03f6 03f9-03fa 03fc-0479 0480-049d',
  '04a0-04ff 052f 1e00-1e9b 1e9d-1eff 2000-200b 2010-2027 202f-2055 2057 205f 2070-2071',
  '2074-208e 2090-209c 20a0-20af 20b1-20b5 20b8-20ba 20bc-20bf 2100-2101 2103 2105-2106',
  '2109 2113 2116-2117 211e-2122 2126 212a-212b 212e 2132 213b 214d 2190-2199 2212 2248',
  '2260 2264-2265 25a1 25ca',
].join(' ')

/** Line breaks and tabs are no characters of a line. */
const inClass = ranges.replace(/[^ -]+/g, (codePoint) => `\\u{${codePoint}}`).replaceAll(' ', '')
const missing = new RegExp(`[^\\t\\n\\r\\u2028\\u2029${inClass}]`, 'u')

export const isPrinted = (text: string): boolean => !missing.test(text)

/** No rule of others: a reader of the PDF sees boxes where the text was. */
export const charactersArePrinted: ExportRule = {
  rule: 'PDF-FONT',
  isWarning: true,
  message:
    'The PDF shows an empty box for each character that its font lacks, here and perhaps in later fields: it has Latin, Greek and Cyrillic. Other formats keep the text.',
  brokenBy: (document) => {
    const first = printedTexts(document).find(([, text]) => text != null && !isPrinted(text))
    return first === undefined ? [] : [first[0]]
  },
}

type PrintedText = readonly [field: string, text: string | null | undefined]

/** From the top of the page to its end. */
const printedTexts = (document: ExportedDocument): PrintedText[] => {
  const { content, parties } = document
  const bank = document.type === 'invoice' ? parties.issuer.bank : null
  const { sandbox_scenario: _, ...references } = content.external_refs
  return [
    ...partyTexts(document, 'issuer'),
    ...partyTexts(document, 'counterparty'),
    ...content.line_items.flatMap(({ description, sku }, i): PrintedText[] => [
      [`line_items.${i}.description`, description],
      [`line_items.${i}.sku`, sku],
    ]),
    ['payment_terms', content.payment_terms],
    ['issuer.bank.account_name', bank?.account_name],
    ...Object.entries(references).map(([key, value]): PrintedText => [
      `external_refs.${key}`,
      `${key} ${value}`,
    ]),
    ['notes', content.notes],
  ]
}

const partyTexts = ({ content, parties }: ExportedDocument, side: Side): PrintedText[] => {
  const { legal_name, address, vat_id, company_id } = parties[side]
  const { country: _, ...lines } = address ?? {}
  return [
    [`${side}.legal_name`, legal_name ?? content[side].name],
    ...Object.entries(lines).map(([name, text]): PrintedText => [
      `${side}.address.${name}`,
      text as string | null,
    ]),
    [`${side}.vat_id`, vat_id],
    [`${side}.company_id`, company_id],
  ]
}
