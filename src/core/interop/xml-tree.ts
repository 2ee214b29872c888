/**
 * XML of others → a tree. Hostile XML ends at a bound: a document type (and with it every entity of
 * one's own and external file) is refused, as are depth, elements and attributes beyond the limits.
 * The caller bounds the length.
 */
import { SaxesParser } from 'saxes'
import { interopLimits } from '../../contract/interop-limits.ts'
import { FileRefused } from './file-refused.ts'

export interface XmlElement {
  /** Without prefix. */
  name: string
  namespace: string
  attributes: Readonly<Record<string, string>>
  children: XmlElement[]
  text: string
  /** Whether the import took its text; what nobody took is reported. */
  isRead: boolean
}

/** The root; throws FileRefused with a sentence that says why. */
export const parseXml = (text: string): XmlElement => {
  const parser = new SaxesParser({ xmlns: true })
  const open: XmlElement[] = []
  let root: XmlElement | undefined
  let elements = 0
  let attributeCount = 0
  parser.on('error', ({ message }) => {
    throw new FileRefused(`Is not well-formed XML: ${message.slice(0, 200)}`)
  })
  parser.on('doctype', () => {
    throw new FileRefused('Has a document type declaration, which no invoice has.')
  })
  parser.on('attribute', () => {
    attributeCount += 1
    if (attributeCount > interopLimits.xmlAttributesMax)
      throw new FileRefused(`Has more than ${interopLimits.xmlAttributesMax} attributes.`)
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    elements += 1
    if (elements > interopLimits.xmlElementsMax)
      throw new FileRefused(`Has more than ${interopLimits.xmlElementsMax} elements.`)
    if (open.length >= interopLimits.xmlDepthMax)
      throw new FileRefused(`Has more than ${interopLimits.xmlDepthMax} levels.`)
    const values = Object.values(attributes).map((one) => [one.local, one.value] as const)
    const element: XmlElement = {
      name: local,
      namespace: uri,
      attributes: Object.fromEntries(values),
      children: [],
      text: '',
      isRead: false,
    }
    open.at(-1)?.children.push(element)
    root ??= element
    open.push(element)
  })
  const addText = (part: string) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += part
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => void open.pop())
  parser.write(text).close()
  if (root === undefined) throw new FileRefused('Has no element.')
  return root
}

/** Whether an element is one of the format, or `whole`: with all that it contains. */
type Belongs = (child: XmlElement, parent: XmlElement) => boolean | 'whole'

/** The first element, in the order of the file, that is not one of the format. */
export const firstForeign = (parent: XmlElement, belongs: Belongs): XmlElement | undefined => {
  for (const child of parent.children) {
    const its = belongs(child, parent)
    if (its === 'whole') continue
    const foreign = its ? firstForeign(child, belongs) : child
    if (foreign !== undefined) return foreign
  }
  return undefined
}

/** The children of that name. */
export const childrenOf = (parent: XmlElement | undefined, name: string): XmlElement[] =>
  parent?.children.filter((child) => child.name === name) ?? []

/** The first element on that path, such as `Party/PostalAddress`. */
export const elementAt = (parent: XmlElement | undefined, path: string): XmlElement | undefined =>
  path
    .split('/')
    .reduce<XmlElement | undefined>(
      (element, name) => element?.children.find((child) => child.name === name),
      parent,
    )

/** The text on that path, which counts as read; null where there is none. */
export const textAt = (parent: XmlElement | undefined, path: string): string | null => {
  const element = elementAt(parent, path)
  if (element === undefined) return null
  element.isRead = true
  return element.text.trim() || null
}

/** The text on that path, which the draft does not keep. */
export const unreadTextAt = (parent: XmlElement | undefined, path: string): string | null =>
  elementAt(parent, path)?.text.trim() || null

/** An xsd:boolean is true by either name; what is neither true nor false is no allowance. */
export const isChargeAt = (parent: XmlElement, path: string): boolean =>
  !['false', '0'].includes(textAt(parent, path) ?? '')

/** The currencies of the amounts that were read. */
export const readCurrencies = (root: XmlElement): string[] => {
  const found = new Set<string>()
  const visit = ({ attributes, children, isRead }: XmlElement): void => {
    const currency = attributes['currencyID']
    if (isRead && currency !== undefined) found.add(currency)
    children.forEach(visit)
  }
  visit(root)
  return [...found]
}

/** What an invoice has once in its place: amounts, what holds them, dates, codes, the parties. */
const isSingle =
  /(?:Amount|Quantity|Price|MonetaryTotal|MonetarySummation|Date|DateTime|TypeCode|CurrencyCode|SupplierParty|SellerTradeParty|AccountingCustomerParty|BuyerTradeParty)$/

/** The name of such an element that was read, and is there twice in one place. */
export const repeatedElement = ({ children }: XmlElement): string | undefined => {
  const singles = children.filter(({ name }) => isSingle.test(name))
  const groups = Map.groupBy(
    singles,
    ({ name, attributes }) => `${name} ${attributes['currencyID']}`,
  )
  for (const same of groups.values())
    if (same.length > 1 && same.some(isReadWithin)) return same[0]!.name
  for (const child of children) {
    const repeated = repeatedElement(child)
    if (repeated !== undefined) return repeated
  }
  return undefined
}

const isReadWithin = ({ isRead, children }: XmlElement): boolean =>
  isRead || children.some(isReadWithin)

/** The unit that line items count in: pieces, by Recommendation 20 of UN/ECE. */
const pieces = 'C62'

/** What nobody read: each element with a text, by its path, and the units that are no pieces. */
export const unreadTexts = (
  root: XmlElement,
  limit: number,
): { source: string; value: string }[] => {
  const found: { source: string; value: string }[] = []
  const visit = (element: XmlElement, path: string): void => {
    if (found.length >= limit) return
    const value = element.text.trim()
    if (element.children.length === 0 && value !== '' && !element.isRead)
      found.push({ source: path, value: value.slice(0, 100) })
    const unit = element.attributes['unitCode']
    if (element.isRead && unit !== undefined && unit !== pieces)
      found.push({ source: `${path}/@unitCode`, value: unit.slice(0, 100) })
    const counts = new Map<string, number>()
    for (const child of element.children) {
      const count = (counts.get(child.name) ?? 0) + 1
      counts.set(child.name, count)
      visit(child, `${path}/${child.name}${count === 1 ? '' : `[${count}]`}`)
    }
  }
  visit(root, root.name)
  return found
}
