/** The payment list as a file (contract 12). */
import { interopLimits } from '../../contract/interop-limits.ts'
import { limits } from '../../contract/limits.ts'
import { PaymentFile, PaymentFileFilters } from '../../contract/shapes/payments.ts'
import { paymentColumns } from '../../core/interop/record-csv.ts'
import { projectPayment } from '../../core/payments/payment-record.ts'
import { countPayments, paymentsOf } from '../../store/payments/payments.ts'
import { csvDownload } from '../downloads.ts'
import { operation } from '../operation.ts'
import { paidDocument } from './paid-documents.ts'
import { filtersOf } from './payments.ts'

export const csv = operation({
  id: 'payments.csv',
  method: 'GET',
  path: '/v1/payments.csv',
  family: 'payments',
  summary: 'Download the payment list as CSV',
  description: `The rows and the order of [payments.list](#payments.list) with the same filters; a column is a field of its rows, and \`document_number\` and \`counterparty.name\` are those of the document that is paid. At most ${interopLimits.downloadMaxRows} rows: more are refused.`,
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['payments:read'],
  query: PaymentFileFilters,
  response: PaymentFile,
  mediaType: 'text/csv',
}).reads(async (call, { query }) => {
  const request = { organization: call.organization.id, filters: filtersOf(query) }
  const limit = limits.pageMax
  return csvDownload<bigint>(call, {
    filename: 'payments.csv',
    columns: paymentColumns,
    count: (by, max) => countPayments(by.read, { ...request, limit: max }),
    pageAfter: async (by, before) => {
      const rows = await paymentsOf(by.read, { ...request, limit, before })
      const paid = await Promise.all(rows.map(({ document_id }) => paidDocument(by, document_id)))
      return {
        records: rows.map((row, i) => ({
          ...projectPayment(row, request.organization),
          ...paid[i],
        })),
        next: rows.length < limit ? null : rows.at(-1)!.position,
      }
    },
  })
})
