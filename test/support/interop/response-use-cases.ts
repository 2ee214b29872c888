/**
 * The use cases of OpenPEPPOL for the invoice response, the moves of a buyer that give each, and
 * what their files say: the code, the reasons and actions, and the conditions.
 */
interface BuyerMove {
  to: string
  reason_code?: string
  note?: string
}

export interface ResponseUseCase {
  name: string
  moves: readonly BuyerMove[]
  says: readonly string[]
}

const missingOrder: Omit<ResponseUseCase, 'name'> = {
  moves: [{ to: 'disputed', reason_code: 'REF', note: 'BT-13: PO0001\nAction: PIN' }],
  says: ['UQ', 'OPStatusReason REF', 'BT-13 = PO0001', 'OPStatusAction PIN'],
}

export const responseUseCases: readonly ResponseUseCase[] = [
  { name: 'uc001-Invoice in process', moves: [{ to: 'acknowledged' }], says: ['IP'] },
  {
    name: 'uc002a-Additional reference data',
    moves: [{ to: 'acknowledged', note: 'Action: NOA\nBuyer process reference: X001' }],
    says: ['IP', 'OPStatusAction NOA', 'Buyer process reference = X001'],
  },
  {
    name: 'uc002b-In process but postponed',
    moves: [{ to: 'acknowledged', note: 'Shipment has not yet been received.' }],
    says: ['IP'],
  },
  { name: 'uc003-Invoice is accepted', moves: [{ to: 'approved' }], says: ['AP'] },
  {
    name: 'uc004a-Invoice is rejected',
    moves: [{ to: 'rejected', reason_code: 'REF', note: 'The order is missing.' }],
    says: ['RE', 'OPStatusReason REF'],
  },
  {
    name: 'uc004b-Rejected requesting reissue',
    moves: [{ to: 'rejected', reason_code: 'REF', note: 'Action: NIN' }],
    says: ['RE', 'OPStatusReason REF', 'OPStatusAction NIN'],
  },
  {
    name: 'uc004c-Rejected requesting replacement',
    moves: [{ to: 'rejected', reason_code: 'REF', note: 'Actions: CNF, NIN' }],
    says: ['RE', 'OPStatusReason REF', 'OPStatusAction CNF', 'OPStatusAction NIN'],
  },
  {
    name: 'uc005-Invoice is conditionally accepted',
    moves: [{ to: 'approved', reason_code: 'PAY', note: 'BT-9: 2018-01-15' }],
    says: ['CA', 'OPStatusReason PAY', 'BT-9 = 2018-01-15'],
  },
  { name: 'uc006a-Under query missing information', ...missingOrder },
  { name: 'uc006b-Missing PO', ...missingOrder },
  {
    name: 'uc006c-Wrong detail partial credit',
    moves: [
      {
        to: 'disputed',
        reason_code: 'DEL',
        note: 'Line 1: 2 units were delivered, but 5 invoiced.\nAction: CNP',
      },
    ],
    says: ['UQ', 'OPStatusReason DEL', 'OPStatusAction CNP'],
  },
  {
    name: 'uc007-Payment has been initiated',
    moves: [{ to: 'approved' }, { to: 'paid' }],
    says: ['PD'],
  },
]

/** Nobody answers in the name of a buyer: there is no third party on a connection. */
export const impossibleUseCases = ['uc008-Invoice is accepted by third party']

const statements =
  /<cbc:(?:ResponseCode>(\w+)|StatusReasonCode listID="(\w+)">(\w+)|AttributeID>([^<]+)<\/cbc:AttributeID>\s*<cbc:Description>([^<]+))/g

/** What a response says, in the order of the file, without texts and dates. */
export const saidBy = (xml: string): string[] =>
  [...xml.matchAll(statements)].map(([, code, list, value, term, detail]) => {
    if (code !== undefined) return code
    return list === undefined ? `${term} = ${detail}` : `${list} ${value}`
  })
