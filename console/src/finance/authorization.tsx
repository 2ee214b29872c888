/** What accepting an offer authorizes, in words and to the byte; its digest is computed here again. */
import { useQuery } from '@tanstack/react-query'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { type ApiError, callForReply } from '../api/call.ts'
import type { FinanceOffer } from '../api/types.ts'
import { CopyText, Region } from '../design/layout.tsx'
import { moneyText } from '../design/money.ts'
import { Status } from '../design/status.tsx'
import { invoiceNumberOf } from './invoice-number.ts'

interface Text {
  text: string
  digest: string
}

const useAuthorization = ({ id }: FinanceOffer) => {
  const path = `/v1/finance/offers/${id}/authorization`
  return useQuery<Text, ApiError>({
    queryKey: ['authorization', path],
    queryFn: async () => {
      const bytes = new Uint8Array((await callForReply('GET', path)).bytes)
      return {
        text: JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2),
        digest: `sha256:${bytesToHex(sha256(bytes))}`,
      }
    },
  })
}

/** Undefined if what would be signed is what is shown. */
export const useSigningRefusal = (offer: FinanceOffer): string | undefined => {
  const { data } = useAuthorization(offer)
  if (data === undefined) return 'The text that would be signed is not read yet.'
  return data.digest === offer.standing_authorization.digest
    ? undefined
    : 'Another text would be signed than the one that is shown.'
}

export const Authorization = ({ offer }: { offer: FinanceOffer }) => {
  const read = useAuthorization(offer)
  const { digest } = offer.standing_authorization
  const { borrower, lender, terms } = offer
  return (
    <section className="rounded-md border border-line">
      <h3 className="border-b border-line px-4 py-2 font-semibold">What this authorizes</h3>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-4 py-3">
        <p>
          When invoice {invoiceNumberOf(offer)} is paid, {borrower.name} lets at most{' '}
          {moneyText(terms.total_repayable, terms.currency)} of that payment move on to{' '}
          {lender.name}: what is owed then, once per payment, and nothing after the loan is repaid.
        </p>
        <Region read={read} skeleton="h-16">
          {(shown) => (
            <>
              {shown.digest === digest ? (
                <Status tone="good">Exactly this text is signed</Status>
              ) : (
                <Status tone="bad">Another text would be signed: do not accept</Status>
              )}
              <CopyText text={digest} label="the digest" />
              <details>
                <summary className="text-accent">Show the exact text</summary>
                <pre
                  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
                  tabIndex={0}
                  className="mt-2 max-h-64 overflow-auto rounded-md border border-line bg-canvas p-3 font-mono text-xs"
                >
                  {shown.text}
                </pre>
              </details>
            </>
          )}
        </Region>
      </div>
    </section>
  )
}
