/**
 * The rules by which an import is refused, each with what breaks it (domain 7). They have the names
 * of EN 16931 and Peppol: of a rule, or of the business term or group that a document cannot keep.
 * The docs list them, and a test has files that break each.
 */
import type { Problem } from '../../contract/problem.ts'

export const importRules = {
  'BT-3': 'The type is neither 380 (invoice) nor 381 (credit note).',
  'BT-5': 'The currency is none of those of the service.',
  'PEPPOL-EN16931-R051': 'An amount is in another currency than the file.',
  'BG-4': 'The seller is not your organization, or the file names none.',
  'BT-25': 'A credit note does not name one invoice that you have issued on the connection.',
  'BR-03': 'The date of issue is missing, or is no date.',
  'BT-2': 'The date of issue is out of the bounds of document dates.',
  'BT-9': 'The due date is no date, before the date of issue, or more than 366 days after it.',
  'BT-20': 'The payment terms, where no due date is given, count days beyond the bounds of terms.',
  'BR-16': 'There is no line, as in the profiles MINIMUM and BASIC WL of Factur-X.',
  'BG-25': 'There are more than 200 lines.',
  'BR-25': 'An item has no name.',
  'BT-153': 'The name of an item is too long, or has a control character.',
  'BT-129': 'A quantity is missing, negative, or has more digits than a line item keeps.',
  'BR-27': 'A net price is missing, negative, or has more digits a unit than a line item keeps.',
  'BT-149': 'The quantity for which a price is (`BaseQuantity`) is 0, or no number.',
  'BT-152': 'A tax rate is missing, above 100 %, or has more digits than a line item keeps.',
  'BR-CO-04': 'A line has no tax category, or an unknown one.',
  'BR-41': 'An allowance of a line has no amount, or one with more than two decimals.',
  'BG-27': 'The allowances of a line exceed its price.',
  'BG-28': 'A line has a charge.',
  'BT-131': 'The net amount of a line is not quantity × price − allowances, or is too large.',
  'BR-CO-10': 'The sum of net amounts (BT-106, `subtotal` in a CSV) is not that of the lines.',
  'BR-CO-11': 'There is an allowance on the document as a whole.',
  'BR-CO-12': 'There is a charge on the document as a whole.',
  'BR-CO-13': 'The total without tax is not the sum of the lines.',
  'BR-46': 'The breakdown of the tax has a group without a tax in cents.',
  'BR-47': 'The breakdown of the tax has an unknown category.',
  'BR-S-08': 'The taxable amount of a rate is not the sum of its lines.',
  'BR-Z-08': 'The same, of what is zero rated.',
  'BR-E-08': 'The same, of what is exempt.',
  'BR-AE-08': 'The same, of a reverse charge.',
  'BR-IC-08': 'The same, of a supply within the Community.',
  'BR-G-08': 'The same, of an export.',
  'BR-O-08': 'The same, of what is not subject to tax.',
  'BR-CO-17': 'The tax of a rate is not the rate of its taxable amount, rounded once.',
  'BR-CO-14': 'The tax is not the sum over the rates.',
  'BR-14': 'There is no total with tax.',
  'BR-CO-15': 'The total with tax is not the total without it plus the tax.',
  'BT-112': 'The total with tax is larger than that of any document here.',
  'BR-CO-16': 'The amount due is not the total with tax: a part is paid already, or it is rounded.',
} as const

export type ImportRule = keyof typeof importRules

const correct = 'correct the file: nothing of it is adjusted'

export const brokenRule = (rule: ImportRule, message: string, fix = correct): Problem => ({
  param: '/file',
  code: 'invalid_value',
  message: `${rule}: ${message}`,
  fix,
})
