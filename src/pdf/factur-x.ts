/**
 * Makes a PDF a Factur-X (ZUGFeRD) invoice: the XML as an attachment, and metadata that name it
 * with the extension schema that PDF/A asks for.
 */
import type { Sheet } from './sheet.ts'

const fileName = 'factur-x.xml'
const namespace = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'

const properties = [
  ['DocumentFileName', 'The name of the embedded XML document', fileName],
  ['DocumentType', 'The type of the hybrid document in capital letters', 'INVOICE'],
  ['Version', 'The actual version of the standard applying to the embedded XML document', '1.0'],
  ['ConformanceLevel', 'The conformance level of the embedded XML document', 'EN 16931'],
] as const

export const attachFacturX = (sheet: Sheet, xml: string): void => {
  sheet.attach({
    name: fileName,
    content: Buffer.from(xml),
    mediaType: 'text/xml',
    relationship: 'Alternative',
    description: 'Factur-X/ZUGFeRD invoice',
  })
  sheet.addMetadata(facturXMetadata)
}

const extensionProperty = ([name, description]: (typeof properties)[number]): string =>
  `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name>` +
  `<pdfaProperty:valueType>Text</pdfaProperty:valueType>` +
  `<pdfaProperty:category>external</pdfaProperty:category>` +
  `<pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`

const facturXMetadata = `
<rdf:Description rdf:about="" xmlns:fx="${namespace}">
${properties.map(([name, , value]) => `<fx:${name}>${value}</fx:${name}>`).join('\n')}
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
  xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
  xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>fx</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq>
${properties.map(extensionProperty).join('\n')}
</rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>`
