/** The currencies of the service (specification 2.1); all have two decimals. */
export const currencies = ['USD', 'EUR', 'GBP', 'CAD'] as const
export type Currency = (typeof currencies)[number]
