/** The answer to an invoice or credit note, as Peppol BIS Invoice Response 3 wants it (T111). */
import assert from 'node:assert/strict'
import type { Side } from '../../contract/document-types.ts'
import { type ExportedDocument, marksOf } from './exported-document.ts'
import type { Clarification } from './response-clarifications.ts'
import { endpoint, ublDocument } from './ubl-parts.ts'
import { type Markup, element, elementWith, optional } from './xml.ts'

const invoiceResponse = {
  customization: 'urn:fdc:peppol.eu:poacc:trns:invoice_response:3',
  profile: 'urn:fdc:peppol.eu:poacc:bis:invoice_response:3',
}

/** The buyer answers the seller. */
export const ublInvoiceResponse = (document: ExportedDocument): string => {
  const response = document.answer?.response
  assert(response, 'an invoice without a response was refused')
  return ublDocument(
    'ApplicationResponse',
    invoiceResponse,
    element('cbc:ID', response.id),
    element('cbc:IssueDate', response.issueDate),
    optional('cbc:Note', marksOf(document)),
    element('cac:SenderParty', party(document, 'counterparty')),
    element('cac:ReceiverParty', party(document, 'issuer')),
    element(
      'cac:DocumentResponse',
      element(
        'cac:Response',
        element('cbc:ResponseCode', response.code),
        element('cbc:EffectiveDate', response.effectiveDate),
        response.clarifications.map(clarification),
      ),
      element(
        'cac:DocumentReference',
        element('cbc:ID', document.number),
        element('cbc:IssueDate', document.content.document_date),
        element('cbc:DocumentTypeCode', document.type === 'credit_note' ? '381' : '380'),
      ),
    ),
  )
}

const party = (document: ExportedDocument, side: Side): (Markup | undefined)[] => {
  const { legal_name, electronic_address } = document.parties[side]
  return [
    endpoint(electronic_address),
    element(
      'cac:PartyLegalEntity',
      element('cbc:RegistrationName', legal_name ?? document.content[side].name),
    ),
  ]
}

const clarification = ({ code, text, conditions }: Clarification): Markup | undefined =>
  element(
    'cac:Status',
    code && elementWith('cbc:StatusReasonCode', { listID: code.list }, code.value),
    optional('cbc:StatusReason', text),
    conditions.map(({ term, value }) =>
      element('cac:Condition', element('cbc:AttributeID', term), element('cbc:Description', value)),
    ),
  )
