/** Documents that the issuer of a pair may pay, in sandbox and live. */
import type { Pair } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'
import { anApprovedInvoice, pay } from './approved-invoices.ts'
import { connectTestProcessor } from './connect-test-processor.ts'

/** Lets both sides pay and be paid; in live mode that requires a processor. */
export const connectProcessors = async (running: TestService, pair: Pair): Promise<void> => {
  if (pair.issuer.mode === 'test') return
  for (const party of [pair.issuer, pair.counterparty]) {
    await connectTestProcessor(running, party, 'example')
  }
}

/** A document that the pair's issuer may pay, with the sides reversed. */
export const payablePath = async (running: TestService, pair: Pair): Promise<string> => {
  await connectProcessors(running, pair)
  const reversed = { ...pair, issuer: pair.counterparty, counterparty: pair.issuer }
  return `/v1/documents/${(await anApprovedInvoice(running, reversed)).id}/pay`
}

/** The id of a payment to the pair's issuer. */
export const aPaymentId = async (running: TestService, pair: Pair): Promise<string> => {
  await connectProcessors(running, pair)
  const { id } = await anApprovedInvoice(running, pair)
  return (await pay(running, pair.counterparty.key, id)).body.payment.id
}
