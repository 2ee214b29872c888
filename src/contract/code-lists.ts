/** Code lists of other standards, with the meaning of each code as the docs give it. */

/** The clarification reasons of the Peppol invoice response. */
export const reasonCodes = {
  REF: 'A reference is wrong or missing.',
  LEG: 'Legal information is wrong or missing.',
  REC: 'The receiver is wrong or unknown.',
  QUA: 'There is a quality problem with the goods or services.',
  DEL: 'The delivery was late, incomplete or sent to the wrong place.',
  PRI: 'A price is wrong.',
  QTY: 'A quantity is wrong.',
  ITM: 'An item is wrong or was not ordered.',
  PAY: 'The payment terms are wrong.',
  UNR: 'The document is not recognised: there is no such order or delivery.',
  FIN: 'Financial details are wrong.',
  PPD: 'The document is already paid in part.',
  OTH: 'Another reason, which you state in `note`.',
}

/** The tax categories of EN 16931. */
export const taxCategories = {
  S: 'Taxed at the rate of the line.',
  Z: 'Taxed at a rate of zero.',
  E: 'Exempt from tax.',
  AE: 'Reverse charge: the buyer accounts for the tax.',
  K: 'Supply to another member state of the European Union.',
  G: 'Export outside the European Union.',
  O: 'Not subject to tax.',
}
