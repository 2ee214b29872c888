/** Example calls of the operations that send or take files of others' formats. */
import { anInvoice } from '../fixtures.ts'
import { aPaymentId } from '../payments/payable-documents.ts'
import type { ExampleCallFactory } from '../http/example-calls.ts'
import { anImportForm } from './import-client.ts'

export const interopExampleCalls: Readonly<Record<string, ExampleCallFactory>> = {
  'documents.import': async (running, pair) => ({
    path: '/v1/documents/import',
    forOthers: 'missing',
    body: await anImportForm(running, pair),
  }),
  'documents.csv': async (running, pair) => ({
    path: '/v1/documents.csv',
    forOthers: { hides: [(await anInvoice(running, pair)).id] },
  }),
  'payments.csv': async (running, pair) => ({
    path: '/v1/payments.csv',
    forOthers: { hides: [await aPaymentId(running, pair)] },
  }),
}
