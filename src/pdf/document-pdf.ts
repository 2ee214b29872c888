/** Draws a document as a PDF (PDF/A-3a): as issued, and the same bytes for the same input. */
import type { Profile } from '../contract/shapes/organization.ts'
import type { ExportedDocument } from '../core/interop/exported-document.ts'
import type { DrawnPicture } from '../core/pictures/drawn-picture.ts'
import { attachProof } from './carried-proof.ts'
import { attachFacturX } from './factur-x.ts'
import { drawFigure } from './figure.ts'
import { type Words, countryText, dateText, languages } from './languages.ts'
import { drawLineTable } from './line-table.ts'
import { drawSections } from './sections.ts'
import { Sheet, margin } from './sheet.ts'
import { bodySize, colors, label } from './text-style.ts'
import { drawTotals } from './totals-block.ts'
import type { PdfJob } from './pdf-job.ts'

/** Countries whose printers hold Letter paper. */
const letterCountries = ['US', 'CA', 'MX', 'CL', 'CO', 'VE', 'PH', 'PR', 'GT', 'CR', 'SV', 'PA']

/** Countries that write the city and its region before the postal code. */
const cityFirstCountries = ['US', 'CA', 'PR']

const blockGap = 22

export const documentPdf = async (
  exported: ExportedDocument,
  { xml, proof, logo }: Pick<PdfJob, 'xml' | 'proof'> & { logo: DrawnPicture | undefined },
): Promise<Buffer> => {
  const { type, number, content, parties } = exported
  const language = parties.issuer.locale
  const words = languages[language]
  const country = parties.issuer.address?.country ?? ''
  const sheet = new Sheet({
    title: `${words.types[type]} ${number}`,
    language,
    paper: letterCountries.includes(country) ? 'LETTER' : 'A4',
    date: new Date(`${content.document_date}T00:00:00Z`),
    watermark: marksOf(exported, words).join(' · '),
  })
  const logoEnd = logo && drawLogo(sheet, exported, { logo, words })
  drawHead(sheet, exported, { words, nameAt: logoEnd ?? sheet.y })
  drawParties(sheet, exported, words)
  drawLineTable(sheet, sheet.root, content, words)
  drawTotals(sheet, content, words)
  drawSections(sheet, exported, { proof, words })
  sheet.onEachPage((page, pages) =>
    drawFooter(sheet, exported, words, `${words.page} ${page} / ${pages}`),
  )
  if (xml !== undefined) attachFacturX(sheet, xml)
  if (proof !== undefined) attachProof(sheet, proof)
  return sheet.bytes()
}

/** What says that nobody owes anything for it. */
const marksOf = ({ isDraft, isSandbox }: ExportedDocument, words: Words): string[] => [
  ...(isSandbox ? [words.sandbox] : []),
  ...(isDraft ? [words.draft] : []),
]

const issuerName = ({ content, parties }: ExportedDocument): string =>
  parties.issuer.legal_name ?? content.issuer.name

/** Above the name; returns where that begins. */
const drawLogo = (
  sheet: Sheet,
  exported: ExportedDocument,
  { logo, words }: { logo: DrawnPicture; words: Words },
): number => {
  const alt = words.logoOf(issuerName(exported))
  const { left, y, width } = sheet
  return drawFigure(sheet, { picture: logo, alt, at: [left, y], box: [width * 0.4, 48] }) + 8
}

const drawHead = (
  sheet: Sheet,
  exported: ExportedDocument,
  { words, nameAt }: { words: Words; nameAt: number },
): void => {
  const { type, number, isDraft, isSandbox } = exported
  const { left, right, width, root } = sheet
  const issuer = { size: 12, font: 'strong', color: colors.accent } as const
  const title = { size: 22, font: 'strong' } as const
  const name = sheet.wrapped(issuerName(exported), width / 2, issuer)
  const nameEnd = sheet.block(root, 'P', [{ lines: name, style: issuer }], [left, nameAt])
  const { y } = sheet
  sheet.text(root, 'H1', words.types[type], { ...title, at: [right, y - 5], alignRight: true })
  const quiet = { size: 11, color: colors.quiet, alignRight: true } as const
  sheet.text(root, 'P', number, { ...quiet, at: [right, y + 24] })
  const meanings = [
    ...(isSandbox ? [words.sandboxMeaning] : []),
    ...(isDraft ? [words.draftMeaning] : []),
  ]
  const mark = { size: 8, font: 'strong', color: colors.watermark, alignRight: true } as const
  let end = y + 40
  if (meanings.length > 0) {
    sheet.text(root, 'P', meanings.join(' '), { ...mark, at: [right, y + 44] })
    end += 18
  }
  sheet.y = Math.max(nameEnd, end) + 8
  sheet.rule(sheet.y)
  sheet.y += 18
}

const drawParties = (sheet: Sheet, exported: ExportedDocument, words: Words): void => {
  const { content, parties } = exported
  const { left, right, width, root, y } = sheet
  const column = width * 0.36
  const party = (side: 'issuer' | 'counterparty', x: number): number => {
    const title = side === 'issuer' ? words.from : words.to
    const [name, ...rest] = partyLines(parties[side], content[side].name, words).map((line) =>
      sheet.wrapped(line, column - 16),
    )
    const parts = [{ lines: name!, style: { font: 'strong' } as const }, { lines: rest.flat() }]
    sheet.text(root, 'H2', title, { ...label, at: [x, y] })
    return sheet.block(root, 'P', parts, [x, y + 14])
  }
  const ends = [party('issuer', left), party('counterparty', left + column)]
  let factY = y
  for (const [name, value] of factsOf(exported, words)) {
    sheet.text(root, 'P', name, { ...label, at: [left + 2 * column, factY] })
    sheet.text(root, 'P', value, { at: [right, factY - 1], alignRight: true, font: 'strong' })
    factY += 15
  }
  sheet.y = Math.max(...ends, factY) + blockGap
}

const partyLines = (profile: Profile, name: string, words: Words): string[] => {
  const { legal_name, address, vat_id, company_id } = profile
  return [
    legal_name ?? name,
    address?.line1,
    address?.line2,
    ...(address == null ? [] : cityLines(address)),
    address?.country == null ? null : countryText(address.country, words),
    ...(vat_id === null ? [] : [`${words.taxNumber} ${vat_id}`]),
    ...(company_id === null ? [] : [`${words.companyNumber} ${company_id}`]),
  ].filter((line): line is string => line != null && line !== '')
}

const cityLines = (address: NonNullable<Profile['address']>): (string | null)[] => {
  const { city, region, postal_code, country } = address
  const joined = (parts: (string | null)[], by: string) => parts.filter(Boolean).join(by)
  return cityFirstCountries.includes(country ?? '')
    ? [joined([joined([city, region], ', '), postal_code], ' ')]
    : [joined([postal_code, city], ' '), region]
}

const factsOf = ({ content }: ExportedDocument, words: Words): [string, string][] => {
  const { document_date, due_date, valid_until, currency } = content
  const dates = [
    [words.date, document_date],
    [words.dueDate, due_date],
    [words.validUntil, valid_until],
  ] as const
  return [
    ...dates.flatMap(([name, date]): [string, string][] =>
      date === null ? [] : [[name, dateText(date, words)]],
    ),
    [words.currency, currency],
  ]
}

const drawFooter = (sheet: Sheet, exported: ExportedDocument, words: Words, page: string): void => {
  const { type, number } = exported
  const y = sheet.document.page.height - margin - bodySize
  const [name] = sheet.wrapped(issuerName(exported), sheet.width / 2, label)
  sheet.rule(y - 8)
  sheet.artifact(() => {
    sheet.decorate(`${words.types[type]} ${number} · ${name}`, [sheet.left, y], label)
    sheet.decorate(page, [sheet.right, y], { ...label, alignRight: true })
  })
}
