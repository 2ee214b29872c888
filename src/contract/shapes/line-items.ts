/** Line items as the issuer sends them, and with derived amounts (specification 2.2). */
import { type Static, Type } from 'typebox'
import { taxCategories } from '../code-lists.ts'
import { limits } from '../limits.ts'
import { InputObject, OutputObject } from './objects.ts'
import { NonBlankText, Money, Nullable, StringEnum, Line } from './field-types.ts'

const discountTypes = ['percent', 'fixed'] as const

const requiredFields = {
  description: NonBlankText(limits.descriptionMaxLength, 'The goods or services of the line.'),
  quantity: Type.Number({ description: '0 or more, at most 6 decimals.', examples: [2] }),
  unit_price: Type.Number({
    description: "0 or more, at most 6 decimals, in the document's currency.",
    examples: [19.99],
  }),
  tax_rate: Type.Number({
    description: 'Decimal per line: 0.08 means 8 %; 0 for untaxed lines.',
    examples: [0.08],
  }),
}

const optionalFields = {
  sku: Nullable(Line(limits.skuMaxLength, "The caller's catalog reference.")),
  discount_type: Nullable(StringEnum(discountTypes, 'How discount_value applies, before tax.')),
  discount_value: Nullable(
    Type.Number({ description: 'Percent 0–100 (4 decimals), or an amount (2 decimals) per line.' }),
  ),
  tax_category: Nullable(
    StringEnum(
      Object.keys(taxCategories),
      'EN 16931 category, for exports: without one, S, or Z for a rate of 0.',
    ),
  ),
}

export const LineItem = InputObject(
  {
    ...requiredFields,
    sku: Type.Optional(optionalFields.sku),
    discount_type: Type.Optional(optionalFields.discount_type),
    discount_value: Type.Optional(optionalFields.discount_value),
    tax_category: Type.Optional(optionalFields.tax_category),
  },
  'A line as the issuer sends it.',
)

export type LineItem = Static<typeof LineItem>

export const LineItemView = OutputObject(
  {
    line: Type.Integer({ description: 'Line number, from 1.' }),
    ...requiredFields,
    ...optionalFields,
    gross: Money('Quantity × unit price.'),
    discount: Money('Amount of the discount.'),
    net: Money('Gross − discount.'),
    tax_amount: Money("The line's share of the tax at its rate."),
    total: Money('Net + tax.'),
  },
  'A line with its derived amounts.',
)

export const LineItems = Type.Array(LineItem, {
  minItems: limits.lineItemsMin,
  maxItems: limits.lineItemsMax,
  description: `${limits.lineItemsMin} to ${limits.lineItemsMax} lines. Replaced as a whole.`,
})
