/** The shop's API key, its calls, and the service that it calls. */
import { currencies } from '../../contract/currencies.ts'
import { families, familyNames } from '../../contract/families.ts'
import { type QuotaName, quotaDefinitions } from '../../contract/quotas.ts'
import type { KeyCreate } from '../../contract/shapes/keys.ts'
import { version } from '../../contract/version.ts'
import { type Example, exampleIds, page } from './ids.ts'

const keyRequest: KeyCreate = {
  name: 'Accounting export',
  scopes: ['documents:read', 'documents:write', 'payments:write'],
  expires_at: '2027-11-21T00:00:00.000Z',
  allowed_cidrs: ['203.0.113.0/24'],
  payment_limits: { max_per_payment: 2500, daily_volume: 10000 },
}

const key = {
  id: exampleIds.key,
  ...keyRequest,
  prefix: 'rk_test_dx1_4kTn2Qbx',
  status: 'active',
  last_used_at: null,
  revoked_at: null,
  created_at: '2026-11-21T09:10:00.000Z',
  sandbox: true,
}

const refusedRequest = {
  id: exampleIds.request,
  method: 'POST',
  path: `/v1/documents/${exampleIds.document}/transition`,
  status: 409,
  error_code: 'conflict',
  key_id: exampleIds.key,
  duration_ms: 4,
  idempotency_key: '2026-11-21-invoice-0117',
  user_id: null,
  address: '203.0.113.7',
  original_request_id: null,
  document_id: exampleIds.document,
  event_ids: [],
  created_at: '2026-11-21T14:39:58.201Z',
}

const quota = (name: QuotaName, left: number, resets_at: string | null) => {
  const { limit } = quotaDefinitions[name]
  return { quota: name, limit, used: limit - left, left, resets_at }
}

export const accountExamples: Readonly<Record<string, Example>> = {
  'requests.list': { query: 'status=409&limit=1', response: page(refusedRequest) },
  'requests.get': {
    response: {
      ...refusedRequest,
      error: {
        code: 'conflict',
        message:
          "A paid invoice cannot move to approved from the counterparty's side. No move is open to this side now.",
        problems: [],
      },
    },
  },
  'keys.list': { response: page(key) },
  'keys.get': { response: key },
  'keys.create': { body: keyRequest, response: { ...key, key: 'rk_test_dx1_4kTn2Qbx…' } },
  'keys.rotate': {
    response: {
      ...key,
      id: exampleIds.replacement,
      prefix: 'rk_test_dx1_9vGmW3rc',
      rotated_from_id: key.id,
      key: 'rk_test_dx1_9vGmW3rc…',
      previous: {
        id: key.id,
        prefix: key.prefix,
        expires_at: '2026-11-22T09:10:00.000Z',
        rotated_to_id: exampleIds.replacement,
      },
    },
  },
  'keys.revoke': {
    response: { ...key, status: 'revoked', revoked_at: '2026-11-21T16:00:00.000Z' },
  },
  'me.get': {
    response: {
      organization: {
        id: exampleIds.issuer,
        name: 'Bright Timber',
        mode: 'sandbox',
        verified: true,
      },
      key: { id: key.id, prefix: key.prefix, scopes: key.scopes },
      user: null,
      effective_scopes: key.scopes,
      limits: {
        ...key.payment_limits,
        daily_volume_left: currencies.map((currency) => ({
          currency,
          used: currency === 'USD' ? 4080 : 0,
          left: currency === 'USD' ? 5920 : 10000,
          resets_at: '2026-11-22T00:00:00.000Z',
        })),
        quotas: [
          quota('documents_per_day', 4688, '2026-11-22T00:00:00.000Z'),
          quota('stored_documents', 19688, null),
          quota('payments_per_day', 4996, '2026-11-22T00:00:00.000Z'),
          quota('open_listings', 50, null),
          quota('webhook_endpoints', 9, null),
          quota('active_keys', 97, null),
          quota('sandboxes', 19, null),
        ],
      },
      documents_on_hold: [],
      approvals_waiting: 0,
      address: '203.0.113.7',
      api_version: version,
    },
  },
  'idempotency.get': {
    response: {
      status: 'succeeded',
      resource_id: exampleIds.document,
      request_id: exampleIds.request,
    },
  },
  'enablement.get': {
    response: {
      api_version: version,
      mode: 'both',
      families: Object.fromEntries(
        familyNames.map((family) => [
          family,
          { enabled: true, since_version: families[family].since },
        ]),
      ),
    },
  },
}
