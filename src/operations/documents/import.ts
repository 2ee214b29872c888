/** A file of others becomes a draft, or is refused with the rule that it breaks (domain 7). */
import type { Call } from '../../context.ts'
import { invalidRequest, refuseProblems } from '../../contract/errors.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { Document } from '../../contract/shapes/documents.ts'
import { DocumentImport, type ImportReport } from '../../contract/shapes/imports.ts'
import { createDraft, problemsBesideLines } from '../../changes/documents/create-draft.ts'
import { recordImport } from '../../changes/documents/record-import.ts'
import { connectionForDraft } from '../../changes/documents/draft-references.ts'
import { todayOf } from '../../changes/organization-clock.ts'
import { currentProfile } from '../../changes/identity/organization-profile.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { emptyProfile } from '../../core/identity/organization-profile.ts'
import { brokenRule } from '../../core/interop/import-rules.ts'
import { sellerProblem } from '../../core/interop/import-seller.ts'
import { warningsOf } from '../../core/interop/import-warnings.ts'
import { type ImportedFile, importedFile } from '../../core/interop/imported-file.ts'
import { joinedByAnd } from '../../core/listed-words.ts'
import { partiesOfConnection } from '../../store/identity/connections.ts'
import { changeOf, originOf } from '../change-context.ts'
import { creditedInvoices, earlierDocument } from './numbered-documents.ts'
import { createdReply } from './replies.ts'
import { operation } from '../operation.ts'

export const importDocument = operation({
  id: 'documents.import',
  method: 'POST',
  path: '/v1/documents/import',
  family: 'documents',
  summary: 'Import a file as a draft',
  description:
    'Takes UBL 2.1 invoices and credit notes, CII, PDFs that carry CII (Factur-X, ZUGFeRD), or CSV as `format=csv` writes it. The seller in the file must be you. Amounts are never adjusted: a file that does not add up is refused with the rule that it breaks. `import` says what was understood and what was not; try it with `Svc-Dry-Run`.',
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['documents:write'],
  body: DocumentImport,
  takesFile: { maxBytes: interopLimits.importMaxBytes, isStored: false },
  response: Document,
  status: 201,
  errors: ['not_found', 'conflict', 'sandbox_quota'],
}).decides(async (call, { body }) => {
  const { id: organization, name } = call.organization
  const file = await call.readReceivedFile!(importedFile)
  const connection = decodeId('con', body.connection_id)
  const named = file.ok && file.draft.document_type === 'credit_note' ? file.creditedInvoices : []
  const [profile, onConnection] = await Promise.all([
    currentProfile(call.read, organization),
    connection === undefined ? undefined : knownOn(call, connection, { file, named }),
  ])
  const { credited: found = [], earlier } = onConnection ?? {}
  const credited = found.length === 1 ? found[0] : undefined
  return {
    needs: {
      connections: connection === undefined ? [] : [connection],
      documents: credited === undefined ? [] : [credited],
      counters: [organization],
    },
    decide: (unit) => {
      const { connection: between, counterparty } = connectionForDraft(
        unit,
        organization,
        body.connection_id,
      )
      const foreign = file.seller && sellerProblem(file.seller, { name, profile })
      if (foreign !== undefined) throw invalidRequest(foreign)
      if (!file.ok) throw invalidRequest(file.problems)
      const { draft, report } = file
      const other = {
        name: unit.get('organizations', counterparty)!.name,
        profile: onConnection?.otherProfile ?? emptyProfile,
      }
      const { default_payment_terms: defaultTerms } = between
      const caller = { name, profile }
      const warnings = warningsOf(file, { caller, other, earlier, defaultTerms })
      if (draft.document_type === 'credit_note' && credited === undefined)
        throw invalidRequest(
          found.length > 1 ? severalInvoices(named[0]!, found) : noInvoice(named),
        )
      const references =
        credited === undefined
          ? []
          : [{ rel: 'credits' as const, document_id: encodeId('doc', credited) }]
      const requested = { ...draft, connection_id: body.connection_id, references }
      refuseProblems(problemsBesideLines(requested, todayOf(unit, organization)).map(dateProblem))
      const created = createDraft(changeOf(call, unit), organization, requested, {
        origin: originOf(call),
      })
      recordImport(unit, created, draft.external_refs?.['issuer_ref'])
      return createdReply(call, unit, {
        document: created,
        side: 'issuer',
        setsTerms: true,
        appended: { import: { ...report, warnings } satisfies ImportReport },
      })
    },
  }
})

/** What the records say beside the file. */
const knownOn = async (
  call: Call,
  connection: string,
  { file, named }: { file: ImportedFile; named: readonly string[] },
) => {
  const [number, ...others] = named
  const isOne = number !== undefined && others.length === 0
  const [otherProfile, credited, earlier] = await Promise.all([
    profileOfOther(call, connection),
    isOne ? creditedInvoices(call, connection, number) : [],
    file.ok ? earlierDocument(call, connection, file) : undefined,
  ])
  return { otherProfile, credited, earlier }
}

/** Drafts show it to their issuer, too. */
const profileOfOther = async ({ read, organization }: Call, connection: string) => {
  const parties = await partiesOfConnection(read, connection, organization.id)
  const other = parties.find((party) => party !== organization.id)
  return other === undefined ? undefined : currentProfile(read, other)
}

/** The only bound of a draft that depends on the present day. */
const dateProblem = ({ message, fix }: Problem): Problem =>
  brokenRule('BT-2', `The date of issue: ${message}`, fix)

const noInvoice = ([number, ...others]: readonly string[]): Problem => {
  const many = others.length > 0 ? `names ${others.length + 1}` : undefined
  const found = number === undefined ? 'names none' : (many ?? `names ${number.slice(0, 100)}`)
  return brokenRule(
    'BT-25',
    `A credit note credits one invoice that you have issued on this connection, and the file ${found}.`,
    'name an invoice that is neither rejected nor cancelled, by its number here or in its file',
  )
}

const severalInvoices = (number: string, invoices: readonly string[]): Problem => {
  const ids = joinedByAnd(invoices.map((id) => encodeId('doc', id)))
  return brokenRule(
    'BT-25',
    `The file names ${number.slice(0, 100)}, a number of ${ids}, here or in the file it was made of.`,
    'credit the one that you mean with POST /v1/documents/{id}/convert',
  )
}
