/**
 * What stops or is about to: records that do not verify, failed payments, endpoints that get
 * nothing, keys that expire.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { allRows } from '../api/all-rows.ts'
import { isAdmin } from '../api/permissions.ts'
import { readKey, useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Caller, Key, Page as Rows, Webhook } from '../api/types.ts'
import { Ago, Money } from '../design/format.tsx'
import { Icon } from '../design/icon.tsx'
import { Panel } from '../design/layout.tsx'
import { PartyName } from '../design/party-name.tsx'
import { useFailedPayments } from './payment-reads.ts'
import { RowKeys } from './row-keys.tsx'

const route = getRouteApi('/o/$org/')

const dayMs = 86_400_000
const expiresWithinDays = 14
/** Of 20, after which an endpoint is disabled. */
const failuresToName = 10

export const Warnings = ({ hasSteps }: { hasSteps: boolean }) => {
  const { org } = route.useParams()
  const session = useSession()
  const admins = { isEnabled: isAdmin(session) }
  const payments = useFailedPayments(session.scopes.includes('payments:read'), hasSteps)
  const webhooks = useRead<Rows<Webhook>>('/v1/webhooks', { limit: 100 }, admins).data
  const expiring = useExpiringKeys(admins)
  const me = useRead<Caller>('/v1/me').data
  const held = me?.documents_on_hold
  const waiting = me?.approvals_waiting ?? 0
  const ailing = webhooks?.data.filter(
    (one) => one.status === 'DISABLED' || one.consecutive_failures >= failuresToName,
  )
  const lists = [held, payments, ailing, expiring]
  const count = lists.reduce((sum, list) => sum + (list?.length ?? 0), Math.min(waiting, 1))
  return (
    <>
      <RowKeys />
      {count > 0 && (
        <Panel title="Needs you" count={String(count)} className="mb-6">
          <ul className="divide-y divide-line">
            {held?.map((document) => (
              <Warning
                key={document}
                what={<code className="font-mono text-xs">doc_…{document.slice(-6)}</code>}
                why="What is stored is not what was signed. Nobody can change or pay it until the operator has looked into it."
              >
                <Link to="/o/$org/documents/$document/provenance" params={{ org, document }}>
                  A document failed verification
                </Link>
              </Warning>
            ))}
            {waiting > 0 && (
              <Warning
                what={waiting}
                why="What a colleague or a key has started stands still until then."
              >
                <Link to="/o/$org/approvals" params={{ org }} search={{ status: 'pending' }}>
                  {waiting === 1 ? 'An approval waits for you' : 'Approvals wait for you'}
                </Link>
              </Warning>
            )}
            {payments?.map(({ id, document_id: document, connection_id, failure, ...of }) => (
              <Warning key={id} what={<Money {...of} />} why={failure?.message ?? 'It failed.'}>
                <Link to="/o/$org/documents/$document" params={{ org, document }} search={{}}>
                  A payment to <PartyName connection={connection_id} /> failed
                </Link>
              </Warning>
            ))}
            {ailing?.map(({ id: webhook, url, status, consecutive_failures, disabled_reason }) => (
              <Warning
                key={webhook}
                what={`${consecutive_failures} of 20`}
                why={disabled_reason ?? 'It is disabled after 20 failures in a row.'}
              >
                <Link
                  to="/o/$org/webhooks/$webhook"
                  params={{ org, webhook }}
                  className="break-all"
                >
                  {url} {status === 'DISABLED' ? 'is disabled' : 'fails'}
                </Link>
              </Warning>
            ))}
            {expiring?.map(({ id, name, expires_at }) => (
              <Warning key={id} what={<Ago at={expires_at} />} why="Rotate it, and nothing stops.">
                <Link to="/o/$org/keys" params={{ org }}>
                  The key {name} expires
                </Link>
              </Warning>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}

/** Newest first, and an old one expires sooner: the first page is not enough. */
const useExpiringKeys = (settings: { isEnabled: boolean }): Key[] | undefined => {
  const newest = useRead<Rows<Key>>('/v1/keys', { limit: 100 }, settings).data
  const { organization } = useSession()
  const all = useQuery({
    queryKey: [...readKey(organization.id, '/v1/keys', { fields }), 'all'],
    queryFn: ({ signal }) => allRows<Key>('/v1/keys', { fields }, { signal }),
    enabled: newest?.has_more === true,
  }).data
  return (all?.rows ?? newest?.data)?.filter(isExpiring)
}

const fields = 'id,name,status,expires_at'

const isExpiring = ({ status, expires_at }: Key): boolean =>
  status === 'active' &&
  expires_at !== null &&
  Date.parse(expires_at) - Date.now() < expiresWithinDays * dayMs

const Warning = (props: { what: ReactNode; why: string; children: ReactNode }) => (
  <li data-warning className="flex gap-3 px-4 py-2.5">
    <Icon name="warning" className="mt-0.5 text-red" />
    <span className="min-w-0 flex-1">
      <span className="block font-medium">{props.children}</span>
      <span className="block text-sm break-words text-muted">{props.why}</span>
    </span>
    <span className="tabular shrink-0">{props.what}</span>
  </li>
)
