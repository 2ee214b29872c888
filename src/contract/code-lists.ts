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

/** The codes of the Peppol invoice response, in the order in which they may follow each other. */
export const responseCodes = {
  AB: 'Received.',
  IP: 'In process.',
  UQ: 'Under query: the buyer waits for the seller.',
  CA: 'Accepted under a condition, which the reason states.',
  RE: 'Rejected.',
  AP: 'Accepted.',
  PD: 'Paid.',
}
export type ResponseCode = keyof typeof responseCodes

/** The actions that a Peppol invoice response asks of the seller. */
export const responseActions = {
  NOA: 'Nothing is to be done.',
  PIN: 'Provide what is missing.',
  NIN: 'Issue a new invoice.',
  CNF: 'Credit the whole invoice.',
  CNP: 'Credit a part of the invoice.',
  CNA: 'Credit what was paid.',
  OTH: 'Another action, which the text states.',
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
