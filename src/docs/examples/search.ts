/** The shop looks for the order number of its supplier. */
import { type Example, page } from './ids.ts'

export const searchExamples: Readonly<Record<string, Example>> = {
  search: {
    query: 'q=SO-4711',
    response: page({
      object: 'document',
      id: 'doc_01kbm9s346q3d25vt4f5v37e3s',
      title: 'BILL-000017 · Oak & Sons',
      subtitle: 'Bill, approved, 1080.00 USD',
      match: { field: 'external_refs.issuer_ref', value: 'SO-4711' },
    }),
  },
}
