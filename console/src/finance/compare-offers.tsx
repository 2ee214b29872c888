/** The offers that wait for one listing, side by side: what each pays out, and what it costs. */
import { useRead } from '../api/reads.ts'
import type { FinanceOffer, Page } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Time } from '../design/format.tsx'
import { Panel } from '../design/layout.tsx'
import { Status } from '../design/status.tsx'
import { invoiceNumberOf } from './invoice-number.ts'
import { DisclosureFacts } from './disclosure.tsx'

interface CompareProps {
  onOpen: (offer: FinanceOffer) => void
}

export const CompareOffers = ({ onOpen }: CompareProps) => {
  const waiting = { role: 'borrower', status: 'open', limit: 100 }
  const { data } = useRead<Page<FinanceOffer>>('/v1/finance/offers', waiting)
  const offers = data?.data ?? []
  const listings = new Set(offers.map(({ listing_id }) => listing_id))
  return [...listings].map((listing) => {
    const own = offers.filter(({ listing_id }) => listing_id === listing)
    return own.length > 1 && <Compared key={listing} offers={own} onOpen={onOpen} />
  })
}

const costOf = ({ disclosure }: FinanceOffer): number => disclosure.annualized_cost

/** The cheapest one is first. */
const Compared = ({ offers, onOpen }: CompareProps & { offers: readonly FinanceOffer[] }) => {
  const sorted = offers.toSorted((a, b) => costOf(a) - costOf(b))
  const [first, second] = sorted as [FinanceOffer, FinanceOffer]
  return (
    <Panel title={`Offers for ${invoiceNumberOf(first)}`} count={String(offers.length)}>
      <ul className="grid grid-cols-[repeat(auto-fit,minmax(min(16rem,100%),1fr))] gap-x-10 gap-y-6 p-4">
        {sorted.map((offer) => (
          <li key={offer.id} className="grid content-start gap-3">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <h3 className="font-medium">
                <bdi>{offer.lender.name}</bdi>
              </h3>
              {offer === first && costOf(first) < costOf(second) && (
                <Status tone="good">Costs least</Status>
              )}
            </div>
            <DisclosureFacts offer={offer} />
            <p className="flex flex-wrap items-center justify-between gap-2">
              <span className="text-sm text-muted">
                Open until <Time at={offer.expires_at} />
              </span>
              <Button
                aria-label={`Review the offer of ${offer.lender.name}`}
                onClick={() => onOpen(offer)}
              >
                Review
              </Button>
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
