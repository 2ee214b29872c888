/**
 * What becomes of what (domain 1, conversion): which document may be made from which, by whom and
 * in which states; and what the references of an issued document do to those that they name.
 */
import type { DocumentTypeName, Side } from './document-types.ts'

export const relations = [
  'credits',
  'fulfils',
  'converts',
  'bills',
  'supersedes',
  'relates_to',
] as const
export type Relation = (typeof relations)[number]

/**
 * What issuing a document does to the one that it was made from. `convert`: a quote is used up.
 * `bill`: an order counts what is invoiced. `fulfil`: an order knows of it. `credit`: an invoice is
 * credited.
 */
export type ConversionEffect = 'convert' | 'bill' | 'fulfil' | 'credit'

export interface Conversion {
  from: DocumentTypeName
  to: DocumentTypeName
  /** The side of the source that issues the new document. */
  by: Side | 'either'
  effect?: ConversionEffect
}

export const conversions: readonly Conversion[] = [
  { from: 'quote', to: 'purchase_order', by: 'counterparty', effect: 'convert' },
  { from: 'quote', to: 'invoice', by: 'issuer', effect: 'convert' },
  { from: 'purchase_order', to: 'invoice', by: 'counterparty', effect: 'bill' },
  { from: 'purchase_order', to: 'delivery_note', by: 'counterparty', effect: 'fulfil' },
  { from: 'purchase_order', to: 'goods_receipt', by: 'issuer', effect: 'fulfil' },
  { from: 'contract', to: 'purchase_order', by: 'either' },
  { from: 'contract', to: 'invoice', by: 'either' },
  { from: 'invoice', to: 'credit_note', by: 'issuer', effect: 'credit' },
]

/** The references that have the effect; any other only points. */
const effectiveRelations: Record<ConversionEffect, readonly Relation[]> = {
  convert: ['converts'],
  bill: ['converts', 'bills'],
  fulfil: ['converts', 'fulfils'],
  credit: ['credits'],
}

/** The states in which a document can be made from this one. */
export const convertibleStates: Partial<Record<DocumentTypeName, readonly string[]>> = {
  quote: ['accepted'],
  contract: ['accepted'],
  purchase_order: ['sent', 'acknowledged', 'accepted'],
  invoice: ['submitted', 'acknowledged', 'approved', 'disputed', 'payment_scheduled', 'paid'],
}

/** States in which an issued document no longer stands: what it took of others is given back. */
export const withdrawnStates: readonly string[] = ['rejected', 'cancelled']

const allowsSide = ({ by }: Conversion, side: Side): boolean => by === side || by === 'either'

/** The types that one side may make from a document of this type. */
export const conversionsOf = (from: string, side: Side): DocumentTypeName[] =>
  conversions.filter((one) => one.from === from && allowsSide(one, side)).map((one) => one.to)

/** What a document can become now, when that side asks. */
export const convertibleTo = (
  { type, status }: { type: string; status: string },
  side: Side,
): DocumentTypeName[] =>
  convertibleStates[type as DocumentTypeName]?.includes(status) ? conversionsOf(type, side) : []

/** Every type that something becomes. */
export const conversionTargets: readonly DocumentTypeName[] = [
  ...new Set(conversions.map(({ to }) => to)),
]

/** How a document that is made from another refers to it. */
export const conversionRelation = (to: string): Relation =>
  to === 'credit_note' ? 'credits' : 'converts'

export interface TypedReference {
  rel: Relation
  /** Type of the document that is referred to. */
  from: string
  /** Type of the document that refers. */
  to: string
  /** The side of the former that issues the latter. */
  by: Side
}

/** What a reference does when its document is issued; undefined when it only points. */
export const effectOf = ({ rel, from, to, by }: TypedReference): ConversionEffect | undefined => {
  const row = conversions.find((one) => one.from === from && one.to === to && allowsSide(one, by))
  return row?.effect !== undefined && effectiveRelations[row.effect].includes(rel)
    ? row.effect
    : undefined
}

/** The name of a link in histories, as it reads from the older document (provenance 3). */
export const linkRelation = (rel: Relation, to: string): string =>
  rel === 'converts'
    ? (conversionLinkRelations[to as DocumentTypeName] ?? 'related_to')
    : linkRelations[rel]

const linkRelations: Record<Exclude<Relation, 'converts'>, string> = {
  bills: 'billed_as',
  credits: 'credited_by',
  fulfils: 'fulfilled_by',
  supersedes: 'superseded_by',
  relates_to: 'related_to',
}

const conversionLinkRelations: Partial<Record<DocumentTypeName, string>> = {
  purchase_order: 'ordered_as',
  invoice: 'billed_as',
  delivery_note: 'fulfilled_by',
  goods_receipt: 'fulfilled_by',
  credit_note: 'credited_by',
}
