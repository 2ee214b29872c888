/** One example call of every finance operation, for the coverage test. */
import { settlePayment } from '../../../src/changes/payments/payment-lifecycle.ts'
import { paymentOf } from '../../../src/changes/payments/payment-record.ts'
import { followLoan } from '../../../src/changes/finance/follow-loan.ts'
import { setUpPracticeFinance } from '../../../src/changes/sandbox/practice-pairs.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { demoCounterparty } from '../../../src/store/sandbox/demo-scripts.ts'
import { type Pair, type TestOrganization, anOrganization, connectPair } from '../fixtures.ts'
import { connectTestProcessor } from '../payments/connect-test-processor.ts'
import type { ExampleCall } from '../http/example-calls.ts'
import type { TestService } from '../test-service.ts'
import { type LoanParties, askedTerms, enableFinance, loansClient } from './loans.ts'

type Factory = (running: TestService, pair: Pair) => Promise<ExampleCall>

const enabled = async (running: TestService, organization: TestOrganization) => {
  await enableFinance(running, organization.key)
  if (organization.mode === 'live') await connectTestProcessor(running, organization)
}

/** The pair's issuer borrows from somebody new. */
const asBorrower = async (running: TestService, pair: Pair): Promise<LoanParties> => {
  const { issuer: borrower, counterparty: debtor } = pair
  const lender = await anOrganization(running, { mode: borrower.mode })
  await connectPair(running, lender, borrower)
  await enabled(running, borrower)
  await enabled(running, lender)
  return { borrower, debtor, lender, trade: pair }
}

/** The pair's issuer lends to somebody new. */
const asLender = async (running: TestService, { issuer }: Pair): Promise<LoanParties> => {
  const { mode } = issuer
  const borrower = await anOrganization(running, { mode })
  const debtor = await anOrganization(running, { mode })
  const trade = await connectPair(running, borrower, debtor)
  await connectPair(running, issuer, borrower)
  await enabled(running, borrower)
  await enabled(running, issuer)
  return { borrower, debtor, lender: issuer, trade }
}

const ofRecord = async (path: Promise<string>, body?: unknown): Promise<ExampleCall> => ({
  path: await path,
  forOthers: 'missing',
  ...(body === undefined ? {} : { body }),
})

const listingPath =
  (rest = ''): ((running: TestService, pair: Pair) => Promise<string>) =>
  async (running, pair) =>
    `/v1/finance/listings/${(await loansClient(running).listed(await asBorrower(running, pair))).id}${rest}`

const offerPath =
  (rest = '', partiesOf = asBorrower) =>
  async (running: TestService, pair: Pair): Promise<string> =>
    `/v1/finance/offers/${(await loansClient(running).offered(await partiesOf(running, pair))).id}${rest}`

const anAgreement = async (running: TestService, pair: Pair) =>
  (await loansClient(running).accepted(await asBorrower(running, pair))).agreement

const agreementPath =
  (rest = '') =>
  async (running: TestService, pair: Pair): Promise<string> =>
    `/v1/finance/agreements/${(await anAgreement(running, pair)).id}${rest}`

/** Lets the disbursement settle, which live takes a rail. */
const aFundedPath = async (running: TestService, pair: Pair): Promise<string> => {
  const loans = loansClient(running)
  const parties = await asBorrower(running, pair)
  const { agreement } = await loans.accepted(parties)
  const { disbursement_id: disbursement } = agreement.documents
  await loans.posted(parties.lender.key, `/v1/documents/${disbursement}/pay`)
  const id = decodeId('doc', disbursement)!
  const rows = { documents: [id], paymentsOfDocuments: [id] }
  await running.service.context.performAsSystem(parties.lender.uuid, rows, (change) => {
    const document = change.unit.get('documents', id)!
    const payment = paymentOf(change.unit, document)!
    if (payment.status !== 'processing') return
    followLoan(change, settlePayment(change, document, payment, 'pi_example'))
  })
  return `/v1/finance/agreements/${agreement.id}/repayment`
}

const nameless = async (path: string, hides: readonly string[]): Promise<ExampleCall> => ({
  path,
  forOthers: { hides },
})

export const financeExampleCalls: Readonly<Record<string, Factory>> = {
  'finance.setup.get': () => nameless('/v1/finance/setup', []),
  'finance.setup.update': async () => ({
    path: '/v1/finance/setup',
    body: { borrower: { enabled: true }, lender: { enabled: true, max_principal: 50_000 } },
    forOthers: { hides: [] },
  }),
  'finance.listings.list': async (running, pair) =>
    nameless('/v1/finance/listings', [
      (await loansClient(running).listed(await asBorrower(running, pair))).id,
    ]),
  'finance.listings.create': async (running, pair) => {
    const { id } = await loansClient(running).invoice(await asBorrower(running, pair))
    const body = { document_id: id, terms: askedTerms }
    return ofRecord(Promise.resolve('/v1/finance/listings'), body)
  },
  'sandbox.demo.create_listing': async (running, { issuer: { key, uuid } }) => {
    const { posted } = loansClient(running)
    const demo = await demoCounterparty(running.database, uuid)
    await setUpPracticeFinance(running.database, [demo!.id])
    const { id } = await posted(key, '/v1/sandbox/demo/documents', { document_type: 'invoice' })
    await posted(key, `/v1/documents/${id}/transition`, { to: 'approved' })
    return ofRecord(Promise.resolve('/v1/sandbox/demo/listings'), { document_id: id })
  },
  'finance.listings.get': (running, pair) => ofRecord(listingPath()(running, pair)),
  'finance.listings.withdraw': (running, pair) =>
    ofRecord(listingPath('/withdraw')(running, pair), {}),
  'finance.offers.create': async (running, pair) => {
    const { id } = await loansClient(running).listed(await asLender(running, pair))
    return ofRecord(Promise.resolve(`/v1/finance/listings/${id}/offers`), { kind: 'at_ask' })
  },
  'finance.offers.list': async (running, pair) =>
    nameless('/v1/finance/offers', [
      (await loansClient(running).offered(await asBorrower(running, pair))).id,
    ]),
  'finance.offers.get': (running, pair) => ofRecord(offerPath()(running, pair)),
  'finance.offers.authorization': (running, pair) =>
    ofRecord(offerPath('/authorization')(running, pair)),
  'finance.offers.accept': async (running, pair) => {
    const loans = loansClient(running)
    const offer = await loans.offered(await asBorrower(running, pair))
    const path = `/v1/finance/offers/${offer.id}/accept`
    return ofRecord(Promise.resolve(path), loans.acceptanceOf(offer))
  },
  'finance.offers.decline': (running, pair) => ofRecord(offerPath('/decline')(running, pair), {}),
  'finance.offers.withdraw': (running, pair) =>
    ofRecord(offerPath('/withdraw', asLender)(running, pair), {}),
  'finance.agreements.list': async (running, pair) =>
    nameless('/v1/finance/agreements', [(await anAgreement(running, pair)).id]),
  'finance.agreements.get': (running, pair) => ofRecord(agreementPath()(running, pair)),
  'finance.agreements.export': (running, pair) => ofRecord(agreementPath('/export')(running, pair)),
  'finance.agreements.repayment': (running, pair) =>
    ofRecord(agreementPath('/repayment')(running, pair)),
  'finance.agreements.repay': (running, pair) => ofRecord(aFundedPath(running, pair), {}),
  'finance.agreements.withdraw': (running, pair) =>
    ofRecord(agreementPath('/withdraw')(running, pair), {}),
}
