/** Reads of the API that between them load rows of nearly every sealed table. */
import { callApi } from '../api-client.ts'
import type { EverySealedTable } from '../database/every-sealed-table.ts'
import type { TestService } from '../test-service.ts'
import type { Answer } from './withheld-answers.ts'

export type Use = () => Promise<Answer>

export const readAs =
  (running: TestService, path: string, key: string): Use =>
  () =>
    callApi(running, 'GET', path, { key })

export const rowReads = (running: TestService, world: EverySealedTable): Record<string, Use> => {
  const { issuer, counterparty } = world.pair
  const { loan } = world
  const { borrower, debtor, lender } = loan
  const document = (id: string) => `/v1/documents/${id}`
  const read = (path: string, key: string) => readAs(running, path, key)
  return {
    'read the caller': read('/v1/me', issuer.key),
    'read the caller of a session': read('/v1/me', issuer.session),
    'read the caller of a limited key': read('/v1/me', world.limited.secret),
    'read a document': read(document(world.issued.id), counterparty.key),
    'list documents': read('/v1/documents?limit=100', issuer.key),
    'list payments': read('/v1/payments?limit=100', issuer.key),
    'read a payment': read(`/v1/payments/${world.payment.id}`, counterparty.key),
    'list accounts': read('/v1/treasury/accounts', issuer.key),
    'read balances': read('/v1/treasury/balances', issuer.key),
    'read past balances': read(
      `/v1/treasury/balances?as_of=${new Date().toISOString()}`,
      issuer.key,
    ),
    'list transactions': read('/v1/treasury/transactions?limit=100', issuer.key),
    'list connections': read('/v1/connections', issuer.session),
    'list keys': read('/v1/keys', issuer.session),
    'list keys of the counterparty': read('/v1/keys', counterparty.session),
    'read the organization': read('/v1/organization', issuer.key),
    'list members': read('/v1/members', issuer.session),
    'list invitations': read('/v1/invitations', issuer.session),
    'list approvals': read('/v1/approvals', counterparty.session),
    'list approval rules': read('/v1/approval_rules', counterparty.session),
    'list comments': read(`${document(world.draft.id)}/comments`, issuer.session),
    'list saved views': read('/v1/saved_views', issuer.session),
    'read preferences': read('/v1/preferences', issuer.session),
    'list what people did': read('/v1/audit?operation=documents.comments.create', issuer.session),
    'read the second factor': read('/auth/recovery-codes', counterparty.session),
    'read the passkeys': read('/auth/passkeys', counterparty.session),
    'list endpoints': read('/v1/webhooks', issuer.session),
    'list attachments': read(`${document(world.draft.id)}/attachments`, issuer.key),
    'list sandboxes': read('/v1/sandboxes', world.sandbox.live.session),
    ...Object.fromEntries(
      world.sandbox.clocks.map((time) => [
        `read balances when the clock showed ${time}`,
        read(`/v1/treasury/balances?as_of=${time}`, world.sandbox.key),
      ]),
    ),
    'read the clock': read('/v1/sandbox/clock', world.sandbox.key),
    ...Object.fromEntries(
      Object.entries({ borrower, lender }).flatMap(([role, { key }]) =>
        ['setup', 'listings', 'offers', 'agreements'].map((what) => [
          `read ${what} as ${role}`,
          read(`/v1/finance/${what}`, key),
        ]),
      ),
    ),
    'read the pledged invoice': read(document(loan.listing.document_id), debtor.key),
    'see the repayment': read(`/v1/finance/agreements/${loan.agreement.id}/repayment`, lender.key),
  }
}
