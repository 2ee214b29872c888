/**
 * What the shop learns of its invoice's history. The hashes and signatures are those of a real log;
 * the bodies of the bundle are shortened, so only a bundle of one's own verifies.
 */
import { type Example, exampleIds } from './ids.ts'

const origin = 'log.example.com/test/1'
const verifierKey = `${origin}+064cd535+AXwLjzOPXXfmzSfV3jxYxfEW8eW4KgWYSnIH9oCGJ4lp`
const root = 'WmA6BIroGvSIDp2LVMMjotkAY20/4/eT1iAalLMS3UQ='
const signature =
  'BkzVNf6zsUAiGpHUXWkrxOmh3dTAcBX60AzmGVAqj27+CIInt4h/PFos/R/xjeCW1OoHzgcbKx9Ho2vA2RV+J3hspAc='
const note = `${origin}\n2\n${root}\n\n— ${origin} ${signature}\n`

const draftHash = 'ac46880a8fb115ae744eee7caab24d23f3c48ef7f51c65a19f199e0611d50a28'
const issueHash = '3cad652d2fd6fbc1c8f69eca3b25531084ce02a07c0a4cd7d6f5175d4311b948'
const head = { seq: 2, hash: issueHash }
const issuedAt = '2026-11-21T09:12:31.077Z'
const asOf = '2026-11-21T09:12:31.874Z'
const checkpoint = { origin, size: 2, root, as_of: asOf }

const actor = {
  kind: 'api_key',
  organization_id: exampleIds.issuer,
  key_prefix: 'rk_test_dx1_4kTn2Qbx',
  key_id: exampleIds.key,
}

const stream = '5304d87892ffe70d95641fee09197efc75fc072d83ea8f23dbd69ad95da41b38'
const issuedHeader = {
  at: issuedAt,
  c: {
    counterparty: '6accb4b4be53df59ac1fe9b632de56d64d40c60f42bea7a833573b6587185e17',
    finance: '2fad2cef2aa06493289912435f4d85af700f96165d23750ab255b9771e79a6ab',
    issuer: 'c3305352307c913dc1124c02a3b90999c6d05839f8a2c47b8227531391335ba6',
    shared: '6a621c646b895fdab3413f23f830cd84a92285442e77ce0c872290ebb298134d',
  },
  prev: draftHash,
  seq: 2,
  stream,
  v: 'svc-event/2',
}

const issuedLog = { index: 1, path: [draftHash] }

const historyEntries = [
  {
    seq: 1,
    at: '2026-11-21T09:12:04.512Z',
    sealed: false,
    type: 'document.created',
    from_status: null,
    to_status: 'draft',
    actor,
    changes: ['currency', 'line_items', 'payment_terms', 'total'],
    hash: draftHash,
    prev: null,
    log: { index: 0 },
  },
  {
    seq: 2,
    at: issuedAt,
    sealed: false,
    type: 'document.issued',
    from_status: 'draft',
    to_status: 'submitted',
    actor,
    changes: ['issued_at', 'status'],
    hash: issueHash,
    prev: draftHash,
    log: { index: 1 },
  },
]

const history = {
  document_id: exampleIds.document,
  verified: true,
  verification: {
    events: 2,
    head,
    checks: ['canonical', 'commitments', 'chain', 'replay', 'inclusion', 'checkpoint'],
    logged_through_seq: 2,
    checkpoint,
  },
  entries: historyEntries,
}

const lineage = {
  document_id: exampleIds.document,
  verified: true,
  steps: [
    {
      step: 1,
      kind: 'document',
      sealed: false,
      at: '2026-11-21T09:12:04.512Z',
      document: {
        id: exampleIds.document,
        document_type: 'invoice',
        number: 'INV-000042',
        label: 'Invoice',
        direction: 'issued',
        status: 'submitted',
      },
      head,
    },
  ],
  links: [],
  checkpoint,
  truncated: false,
}

const bundle = {
  format: 'svc-proof-bundle/2',
  document: {
    id: exampleIds.document,
    stream_salt: 'c8a34b87c4ff3d7be737bb3f7eb879fc',
    state: { number: 'INV-000042', status: 'submitted', total: '1088.93' },
  },
  viewer: { organization_id: exampleIds.issuer, role: 'issuer' },
  events: [
    {
      header: issuedHeader,
      log: issuedLog,
      open: {
        shared: {
          salt: 'dc2b9565cf9cd1c0c35cb4eab7f6656b',
          body: { set: { status: 'submitted' }, type: 'document.issued' },
        },
      },
    },
  ],
  checkpoint: note,
  head: `svc-head/2 ${origin}\n${stream} 2 ${issueHash}\n2\n${asOf}\n2\n\n— ${origin} ${signature}\n`,
}

const pledgeProof = {
  format: 'svc-pledge-proof/1',
  agreement: bundle,
  invoice: {
    document_id: exampleIds.document,
    stream_salt: bundle.document.stream_salt,
    events: [
      {
        header: issuedHeader,
        log: issuedLog,
        open: {
          finance: {
            salt: '5b0c2f1be4a6ce93c7fb5d1f2a06d9c1',
            body: {
              balance_due: '1088.93',
              due_date: '2026-12-21',
              pledge: null,
              status: 'submitted',
            },
          },
        },
      },
    ],
    checkpoint: note,
    head: bundle.head,
  },
}

export const provenanceExamples: Readonly<Record<string, Example>> = {
  'documents.history': { response: history },
  'documents.lineage': { response: lineage },
  'documents.export': { response: bundle },
  'finance.agreements.export': { response: pledgeProof },
  'documents.receipt': {
    response: { format: 'svc-receipt/1', header: issuedHeader, log: issuedLog, checkpoint: note },
  },
  'log.keys': {
    response: {
      origin,
      keys: [verifierKey],
      windows: { [verifierKey]: { from_size: 0, until_size: null } },
    },
  },
  'log.checkpoint': { response: { checkpoint: note } },
  'log.epochs': { response: { format: 'svc-epochs/1', checkpoint: note, epochs: [] } },
  'log.consistency': { query: 'from=0&to=0', response: { from: 1, to: 2, proof: [issueHash] } },
}
