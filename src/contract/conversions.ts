/**
 * Conversions (domain 1): which document may be created from which, by whom and in which states,
 * and the effect of an issued document's references on the documents they name.
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
 * The effect of issuing a document on its source. `convert` uses up a quote, `bill` adds to the
 * invoiced amount of an order, `fulfil` records a child of an order, `credit` credits an invoice.
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

/** The relations that trigger each effect; all others only point. */
const effectiveRelations: Record<ConversionEffect, readonly Relation[]> = {
  convert: ['converts'],
  bill: ['converts', 'bills'],
  fulfil: ['converts', 'fulfils'],
  credit: ['credits'],
}

/** The states in which a document can be converted. */
export const convertibleStates: Partial<Record<DocumentTypeName, readonly string[]>> = {
  quote: ['accepted'],
  contract: ['accepted'],
  purchase_order: ['sent', 'acknowledged', 'accepted'],
  invoice: ['submitted', 'acknowledged', 'approved', 'disputed', 'payment_scheduled', 'paid'],
}

/** States that withdraw an issued document: its effects on other documents are undone. */
export const withdrawnStates: readonly string[] = ['rejected', 'cancelled']

const allowsSide = ({ by }: Conversion, side: Side): boolean => by === side || by === 'either'

/** The types that one side may create from a document of this type. */
export const conversionsOf = (from: string, side: Side): DocumentTypeName[] =>
  conversions.filter((row) => row.from === from && allowsSide(row, side)).map((row) => row.to)

/** The types that this side can convert the document to in its current state. */
export const convertibleTo = (
  { type, status }: { type: string; status: string },
  side: Side,
): DocumentTypeName[] =>
  convertibleStates[type as DocumentTypeName]?.includes(status) ? conversionsOf(type, side) : []

export const conversionTargets: readonly DocumentTypeName[] = [
  ...new Set(conversions.map(({ to }) => to)),
]

/** The relation with which a converted document refers to its source. */
export const conversionRelation = (to: string): Relation =>
  to === 'credit_note' ? 'credits' : 'converts'

export interface TypedReference {
  rel: Relation
  /** Type of the referenced document. */
  from: string
  /** Type of the referring document. */
  to: string
  /** The side of the referenced document that issues the referring one. */
  by: Side
}

/** The effect of a reference when its document is issued; undefined when it only points. */
export const effectOf = ({ rel, from, to, by }: TypedReference): ConversionEffect | undefined => {
  const row = conversions.find(
    (each) => each.from === from && each.to === to && allowsSide(each, by),
  )
  return row?.effect !== undefined && effectiveRelations[row.effect].includes(rel)
    ? row.effect
    : undefined
}

/** The name of a link in histories, read from the older document (provenance 3). */
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
