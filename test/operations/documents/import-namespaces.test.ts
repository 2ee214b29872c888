/** Domain 7: an element is what its namespace says, whatever its name is. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))
const invoice = await anInvoice(running, pair)
const ubl = await exportOf(running, pair, invoice, 'ubl')
const cii = await exportOf(running, pair, invoice, 'cii')

const messageOf = async (content: string): Promise<string> => {
  const { errors } = assertRefused(await importFile(running, pair, content), 'invalid_request')
  return errors[0].message
}

/** With a prefix of its own. */
const inNamespace = (file: string, element: string, namespace: string): string =>
  file
    .replace(
      new RegExp(`<${element}\\b`),
      `<other:${element.split(':')[1]} xmlns:other="${namespace}"`,
    )
    .replace(`</${element}>`, `</other:${element.split(':')[1]}>`)

const basic = 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2'
const aggregate = 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2'
const reusable =
  'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100'

describe('domain 7: an element in another namespace is not of the format', () => {
  const foreign: Readonly<Record<string, [string, string]>> = {
    'a total of somebody else in UBL': [
      inNamespace(ubl, 'cbc:PayableAmount', 'urn:example'),
      'Has PayableAmount of urn:example, which UBL has not.',
    ],
    'a number without a namespace in UBL': [
      ubl.replace(/<cbc:ID>(.*?)<\/cbc:ID>/, '<ID xmlns="">$1</ID>'),
      'Has ID without a namespace, which UBL has not.',
    ],
    'elements in the namespace of the root of UBL': [
      ubl.replaceAll('cbc:', ''),
      'Has CustomizationID of urn:oasis:names:specification:ubl:schema:xsd:Invoice-2, which UBL has not.',
    ],
    'a text among the aggregates of UBL': [
      inNamespace(ubl, 'cbc:IssueDate', aggregate),
      `Has IssueDate of ${aggregate}, which UBL has not.`,
    ],
    'an aggregate among the texts of UBL': [
      inNamespace(ubl, 'cac:LegalMonetaryTotal', basic),
      `Has LegalMonetaryTotal of ${basic}, which UBL has not.`,
    ],
    'a total of somebody else in CII': [
      inNamespace(cii, 'ram:GrandTotalAmount', 'urn:example'),
      'Has GrandTotalAmount of urn:example, which CII has not.',
    ],
    'a part of the root of CII in another namespace of it': [
      inNamespace(cii, 'rsm:ExchangedDocument', reusable),
      `Has ExchangedDocument of ${reusable}, which CII has not.`,
    ],
  }
  for (const [name, [content, message]] of Object.entries(foreign)) {
    test(`${name} is refused`, async () => {
      assert.equal(await messageOf(content), message)
    })
  }

  for (const namespace of ['Standard:QualifiedDataType:100', 'standard:QualifiedDataType:10']) {
    test(`a date of ${namespace}, as published samples of CII have it, is of the format`, async () => {
      const date =
        '<ram:FormattedIssueDateTime><other:DateTimeString format="102"' +
        ` xmlns:other="urn:un:unece:uncefact:data:${namespace}">20260101</other:DateTimeString>` +
        '</ram:FormattedIssueDateTime>'
      const referenced =
        '<ram:AdditionalReferencedDocument><ram:IssuerAssignedID>A</ram:IssuerAssignedID>' +
        `<ram:TypeCode>916</ram:TypeCode>${date}</ram:AdditionalReferencedDocument>`
      const end = '</ram:ApplicableHeaderTradeAgreement>'
      const { status, text } = await importFile(running, pair, cii.replace(end, referenced + end))
      assert.equal(status, 201, text)
    })
  }

  test('extensions of UBL may have elements of anybody', async () => {
    const namespace = basic.replace('Basic', 'Extension')
    const extension =
      `<ext:UBLExtensions xmlns:ext="${namespace}">` +
      '<ext:UBLExtension><ext:ExtensionContent><own xmlns="urn:example">1</own>' +
      '</ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>'
    const { status } = await importFile(
      running,
      pair,
      ubl.replace('<cbc:CustomizationID', `${extension}<cbc:CustomizationID`),
    )
    assert.equal(status, 201)
  })
})
