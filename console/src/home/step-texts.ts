/** The first steps: what each is for, its place in the console, and the call that does the same. */
import { curlOf } from '../api/curl.ts'
import type { Organization } from '../api/session.ts'
import type { MarkedStep } from './marked-steps.ts'
import type { StepFact } from './step-facts.ts'

export interface StepText {
  fact: StepFact
  title: string
  text: string
  to: '/o/$org/keys' | '/o/$org/documents' | '/o/$org/webhooks' | StepPlace
  curl: string
  /** What only the person knows. */
  mark?: MarkedStep
}

type StepPlace = '/o/$org/connections' | '/o/$org/sessions' | '/o/$org/payments'

const post = (url: string, body: object): string =>
  curlOf({ method: 'POST', url, body: JSON.stringify(body) })

export const stepsOf = ({ id, mode }: Organization): StepText[] => {
  const isSandbox = mode === 'sandbox'
  const line = { description: 'Oak boards', quantity: 12, unit_price: 19.99 }
  const signIn = { email: 'you@example.com', password: '…', organization_id: id }
  return [
    {
      fact: 'session',
      title: 'Sign in',
      text: 'You have.',
      to: '/o/$org/sessions',
      curl: `curl -X POST '${location.origin}/auth/sessions' -H 'Content-Type: application/json' -d '${JSON.stringify(signIn)}'`,
    },
    ...(isSandbox ? [] : [goLive]),
    {
      fact: 'key',
      title: isSandbox ? 'Create a key' : 'Create a live key',
      text: 'Your programs call the API with it.',
      to: '/o/$org/keys',
      curl: post('/v1/keys', { name: 'erp', scopes: ['documents:read'] }),
    },
    {
      fact: 'call',
      title: 'Make your first call',
      text: 'Each new key comes with the curl command.',
      to: '/o/$org/keys',
      curl: curlOf({ url: '/v1/me' }),
    },
    {
      fact: 'issued',
      title: 'Issue an invoice',
      text: 'Both sides then read the same record.',
      to: '/o/$org/documents',
      curl: `${post('/v1/documents', { connection_id: 'con_…', document_type: 'invoice', line_items: [line] })}
${post('/v1/documents/doc_…/issue', {})}`,
    },
    {
      fact: 'agreed',
      title: 'See it approved',
      text: isSandbox ? 'The demo counterparty decides.' : 'The other side decides.',
      to: '/o/$org/documents',
      curl: curlOf({ url: '/v1/documents?direction=issued&phase=accepted' }),
    },
    {
      fact: 'settled',
      title: 'Pay or be paid',
      text: isSandbox ? 'Simulated, within seconds.' : 'Once it is approved.',
      to: '/o/$org/documents',
      curl: post('/v1/documents/doc_…/pay', {}),
    },
    ...proving,
    {
      fact: 'partner',
      title: 'Connect a partner',
      text: 'Invite them by e-mail.',
      to: '/o/$org/connections',
      curl: post('/v1/connections', { email: 'partner@example.com' }),
    },
  ]
}

const goLive: StepText = {
  fact: 'live',
  title: 'Get verified and choose a processor',
  text: 'The operator of this service sets up both.',
  to: '/o/$org/payments',
  curl: `${curlOf({ url: '/v1/organization' })}\n${curlOf({ url: '/v1/finance/setup' })}`,
}

const proving: StepText[] = [
  {
    fact: 'webhook',
    title: 'Receive a webhook',
    text: 'Register an endpoint and ping it.',
    to: '/o/$org/webhooks',
    curl: post('/v1/webhooks/wh_…/ping', {}),
  },
  {
    fact: 'signature',
    title: 'Verify a signature',
    text: 'Any delivery shows how. Mark it once your receiver does.',
    to: '/o/$org/webhooks',
    curl: `printf '%s.%s' "$T" "$BODY" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET"`,
    mark: 'signature_verified',
  },
  {
    fact: 'proof',
    title: 'Export and verify a proof',
    text: 'Check it on the Proof page of a document.',
    to: '/o/$org/documents',
    curl: `${curlOf({ url: '/v1/documents/doc_…/export' })} -o bundle.json
curl -O '${location.origin}/v1/docs/verifier/verify-bundle.mjs'
node verify-bundle.mjs bundle.json`,
    mark: 'proof_verified',
  },
]
