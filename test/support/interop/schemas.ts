/**
 * Validates XML with the schemas beside the checkout, by xmllint (Debian: libxml2-utils). Those of
 * UBL import the core component types of UN/CEFACT and XML signatures from where a catalogue of
 * their publisher finds them; stand-ins declare what documents of ours use of both.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.ts'
import { interopDirectory } from './official-rules.ts'

/** Core component types of UN/CEFACT, 2.01: the type of the value, and the attributes. */
const coreTypes: Readonly<Record<string, readonly [base: string, attributes: string]>> = {
  AmountType: ['decimal', 'currencyID currencyCodeListVersionID'],
  BinaryObjectType: ['base64Binary', 'format mimeCode encodingCode characterSetCode uri filename'],
  CodeType: [
    'normalizedString',
    'listID listAgencyID listAgencyName listName listVersionID name languageID listURI listSchemeURI',
  ],
  IdentifierType: [
    'normalizedString',
    'schemeID schemeName schemeAgencyID schemeAgencyName schemeVersionID schemeDataURI schemeURI',
  ],
  MeasureType: ['decimal', 'unitCode unitCodeListVersionID'],
  NumericType: ['decimal', 'format'],
  QuantityType: ['decimal', 'unitCode unitCodeListID unitCodeListAgencyID unitCodeListAgencyName'],
  TextType: ['string', 'languageID languageLocaleID'],
}

const coreTypesNamespace =
  'urn:un:unece:uncefact:data:specification:CoreComponentTypeSchemaModule:2'
const signatures = 'http://www.w3.org/2000/09/xmldsig#'

const schema = (namespace: string, content: string): string =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${namespace}" elementFormDefault="qualified">${content}</xs:schema>`

const coreType = ([name, [base, attributes]]: readonly [
  string,
  readonly [string, string],
]): string => {
  /** As the types of UBL restrict them. */
  const typeOf = (attribute: string) =>
    /URI$|^uri$/.test(attribute) ? 'anyURI' : 'normalizedString'
  const declared = attributes
    .split(' ')
    .map((one) => `<xs:attribute name="${one}" type="xs:${typeOf(one)}"/>`)
  return `<xs:complexType name="${name}"><xs:simpleContent><xs:extension base="xs:${base}">${declared.join('')}</xs:extension></xs:simpleContent></xs:complexType>`
}

/** A schema that imports the one of UBL after the stand-ins. */
export const ublSchema = (root: string): string => {
  const folder = temporaryFolder()
  const types = Object.entries(coreTypes).map(coreType).join('')
  writeFileSync(join(folder, 'types.xsd'), schema(coreTypesNamespace, types))
  writeFileSync(
    join(folder, 'signatures.xsd'),
    schema(signatures, '<xs:element name="Signature"/>'),
  )
  const imports = [
    [coreTypesNamespace, 'types.xsd'],
    [signatures, 'signatures.xsd'],
    [
      `urn:oasis:names:specification:ubl:schema:xsd:${root}-2`,
      join(interopDirectory, `ubl21/maindoc/UBL-${root}-2.1.xsd`),
    ],
  ].map(([namespace, place]) => `<xs:import namespace="${namespace}" schemaLocation="${place}"/>`)
  const file = join(folder, `${root}.xsd`)
  writeFileSync(file, schema('urn:all', imports.join('')))
  return file
}

export const ciiSchema = join(interopDirectory, 'facturx/en16931/FACTUR-X_EN16931.xsd')

/** What xmllint says of files that are not valid; empty if all are. */
export const schemaComplaints = (schemaFile: string, files: readonly string[]): string => {
  assert(files.length > 0)
  const args = ['--noout', '--nonet', '--schema', schemaFile, ...files]
  const { status, stderr } = spawnSync('xmllint', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const complaints = stderr.split('\n').filter((line) => !line.endsWith(' validates'))
  return status === 0 ? '' : complaints.slice(0, 20).join('\n')
}
