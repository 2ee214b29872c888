/** A payment of a program that waits for the accountant. */
import { type Example, page } from './ids.ts'

const digest = 'sha256:5f1d7a84db00d2fce00b31a7fc73224f9a3c1f0b8d7e6a5c4b3a29180f7e6d5c'

const pending = {
  id: 'apr_01kbm9t6c2f8n4q0w6e2r8t4yz',
  status: 'pending',
  summary: 'Pay 1080.00 USD to Oak & Sons for bill BILL-000042',
  digest,
  statement: {
    amount: '1080.00',
    approval_id: 'apr_01kbm9t6c2f8n4q0w6e2r8t4yz',
    body: {},
    currency: 'USD',
    document: { id: 'doc_01kbm9s346q3d25vt4f5v37e3s', revision: 4 },
    expires_at: '2026-11-22T09:30:00.000Z',
    key_id: 'key_01kbnpzx45hy43kwjrp1xpa7z3',
    operation: 'documents.pay',
    organization_id: 'org_01kbqkfbf5kznwj47tan9zt24m',
    path: '/v1/documents/doc_01kbm9s346q3d25vt4f5v37e3s/pay',
    payee: 'org_01kb3e28jt97kb6cq643dzvmxx',
    type: 'approval',
    version: 1,
  },
  operation: 'documents.pay',
  amount: 1080,
  currency: 'USD',
  key_id: 'key_01kbnpzx45hy43kwjrp1xpa7z3',
  user_id: null,
  requirements: [{ rule_id: null, name: null, approvers: 1, roles: null, user_ids: null }],
  decisions: [],
  created_at: '2026-11-21T09:30:00.000Z',
  expires_at: '2026-11-22T09:30:00.000Z',
  ended_at: null,
}

const decision = {
  user_id: 'usr_01kbm9p2t8e4w9m5x7c1q3r6vz',
  decision: 'approve',
  reason: null,
  at: '2026-11-21T09:41:07.250Z',
}

const rule = {
  id: 'rul_01kbm9t2c5e8g1j4m7p0s3v6yz',
  name: 'Large payments',
  when: {
    operation: 'documents.pay',
    document_type: null,
    amount_above: 5000,
    currency: 'USD',
    connection_id: null,
  },
  approvers: 2,
  roles: ['owner', 'approver'],
  user_ids: null,
  created_at: '2026-11-20T08:00:00.000Z',
  updated_at: '2026-11-20T08:00:00.000Z',
}

const { id: rule_id, name, approvers, roles, user_ids } = rule

const when = { operation: 'documents.pay', amount_above: 5000, currency: 'USD' }

export const approvalExamples: Readonly<Record<string, Example>> = {
  'approval_rules.list': { response: page(rule) },
  'approval_rules.create': { body: { name, when, approvers, roles }, response: rule },
  'approval_rules.update': { body: { approvers: 3 }, response: { ...rule, approvers: 3 } },
  'approval_rules.delete': { response: rule },
  'approval_rules.test': {
    body: { operation: 'documents.pay', amount: 12500, currency: 'USD' },
    response: {
      requires_approval: true,
      requirements: [{ rule_id, name, approvers, roles, user_ids, eligible_members: 3 }],
    },
  },
  'approvals.list': { query: 'status=pending', response: page(pending) },
  'approvals.get': { response: pending },
  'approvals.approve': {
    body: { digest },
    response: { ...pending, status: 'approved', decisions: [decision] },
  },
  'approvals.decline': {
    body: { reason: 'Paid by card already' },
    response: {
      ...pending,
      status: 'declined',
      ended_at: decision.at,
      decisions: [{ ...decision, decision: 'decline', reason: 'Paid by card already' }],
    },
  },
}
