/** A statement as camt.053.001.08 (ISO 20022), in pieces: its start, each entry, its end. */
import { type Markup, element, elementWith, optional } from '../interop/xml.ts'
import { startOfDay } from '../dates.ts'
import { minorText } from '../money.ts'

export interface Camt053Statement {
  messageId: string
  createdAt: string
  accountId: string
  accountName: string
  owner: string
  currency: string
  /** Days, inclusive. */
  from: string
  to: string
  opening: bigint
  closing: bigint
}

export interface Camt053Entry {
  id: string
  type: string
  /** Positive into the account. */
  amount: bigint
  bookedAt: string
  paymentId: string | null
  /** The reference that the rail gave. */
  reference: string | null
  /** As the owner of the account knows the document. */
  documentNumber: string | null
  /** By its name in the document. */
  otherParty: string | null
}

const namespace = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'
const referenceMaxLength = 35
const nameMaxLength = 140
const remittanceMaxLength = 140

export const camt053Start = (statement: Camt053Statement): string => {
  const { messageId, createdAt, accountId, accountName, owner, currency, from, to } = statement
  const parts = [
    element('Id', `${from}.${to}.${accountId.slice(-12)}`),
    element('CreDtTm', createdAt),
    element(
      'FrToDt',
      element('FrDtTm', startOfDay(from)),
      element('ToDtTm', `${to}T23:59:59.999Z`),
    ),
    element(
      'Acct',
      element('Id', element('Othr', element('Id', accountId))),
      element('Ccy', currency),
      element('Nm', accountName),
      element('Ownr', element('Nm', cut(owner, nameMaxLength))),
    ),
    balance('OPBD', statement.opening, currency, from),
    balance('CLBD', statement.closing, currency, to),
  ]
  const header = element('GrpHdr', element('MsgId', messageId), element('CreDtTm', createdAt))
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace}"><BkToCstmrStmt>` +
    `${header!.text}<Stmt>${parts.map((part) => part!.text).join('')}\n`
  )
}

export const camt053End = '</Stmt></BkToCstmrStmt></Document>\n'

export const camt053Entry = (entry: Camt053Entry, currency: string): string => {
  const { id, type, amount, bookedAt, paymentId, reference, documentNumber } = entry
  const booked = element('DtTm', bookedAt)
  const shown = reference !== null && reference.length <= referenceMaxLength ? reference : null
  const written = element(
    'Ntry',
    element('NtryRef', id),
    signedAmount(amount, currency),
    optional('RvslInd', type === 'return' ? 'true' : null),
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', booked),
    element('ValDt', booked),
    optional('AcctSvcrRef', shown),
    element('BkTxCd', domainOf(type), element('Prtry', element('Cd', type))),
    element(
      'NtryDtls',
      element(
        'TxDtls',
        element('Refs', optional('AcctSvcrRef', shown), optional('EndToEndId', paymentId)),
        signedAmount(amount, currency),
        element('RltdPties', otherPartyOf(entry)),
        element('RmtInf', optional('Ustrd', documentNumber?.slice(0, remittanceMaxLength))),
      ),
    ),
  )
  return `${written!.text}\n`
}

/** Who paid, or was paid; what is returned keeps the roles of the transfer that it reverses. */
const otherPartyOf = ({ type, amount, otherParty }: Camt053Entry): Markup | undefined => {
  const isPayer = type === 'return' ? amount < 0n : amount > 0n
  const name = optional('Nm', otherParty && cut(otherParty, nameMaxLength))
  return element(isPayer ? 'Dbtr' : 'Cdtr', element('Pty', name))
}

/** ISO 20022 counts characters, of which some are two units of a JavaScript string. */
const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? [...text].slice(0, maxLength).join('') : text

/** The absolute amount, and whether it is credited or debited. */
const signedAmount = (amount: bigint, currency: string): (Markup | undefined)[] => [
  elementWith('Amt', { Ccy: currency }, minorText(amount < 0n ? -amount : amount)),
  element('CdtDbtInd', amount < 0n ? 'DBIT' : 'CRDT'),
]

const balance = (code: 'OPBD' | 'CLBD', amount: bigint, currency: string, date: string) =>
  element(
    'Bal',
    element('Tp', element('CdOrPrtry', element('Cd', code))),
    signedAmount(amount, currency),
    element('Dt', element('Dt', date)),
  )

/** Received and issued credit transfers; the others have no code of the standard. */
const families: Readonly<Record<string, string>> = {
  payment_in: 'RCDT',
  sweep_in: 'RCDT',
  payment_out: 'ICDT',
  sweep_out: 'ICDT',
}

const domainOf = (type: string): Markup | undefined => {
  const family = families[type]
  if (family === undefined) return undefined
  const codes = element('Fmly', element('Cd', family), element('SubFmlyCd', 'OTHR'))
  return element('Domn', element('Cd', 'PMNT'), codes)
}
