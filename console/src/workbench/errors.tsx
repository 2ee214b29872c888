/** What was refused: by code, endpoint and key, with what to do about it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { errors as definitions } from '../../../src/contract/errors.ts'
import { type ApiError, call } from '../api/call.ts'
import { readKey, useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Key, Page, RequestLogDetail, RequestLogEntry } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { timeText } from '../design/dates.ts'
import { Time } from '../design/format.tsx'
import { Icon } from '../design/icon.tsx'
import { Empty, Refusal, Region } from '../design/layout.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { type ErrorGroup, errorGroups, pathFilterOf } from './error-groups.ts'

const refusedMost = 500
const groupsMost = 50
const statuses = '400,401,403,404,405,406,409,412,413,415,429,500,502,503'
const fields = 'id,method,path,status,error_code,key_id,created_at'

interface Refused {
  requests: RequestLogEntry[]
  hasMore: boolean
}

const readRefused = async (signal: AbortSignal): Promise<Refused> => {
  const requests: RequestLogEntry[] = []
  let cursor: string | undefined
  // A page may be short, and still have a next one.
  for (let pages = 0; pages < 10 && requests.length < refusedMost; pages += 1) {
    const query = { status: statuses, fields, limit: 100, cursor }
    const page = await call<Page<RequestLogEntry>>('GET', '/v1/requests', { query, signal })
    requests.push(...page.data)
    cursor = page.next_cursor ?? undefined
    if (cursor === undefined) break
  }
  return { requests, hasMore: cursor !== undefined }
}

/** Read when it is opened or asked for: each change elsewhere would read up to ten pages again. */
const useRefused = () => {
  const { organization } = useSession()
  const read = useQuery<Refused, ApiError>({
    queryKey: [...readKey(organization.id, '/v1/requests', { status: statuses }), 'refused'],
    queryFn: ({ signal }) => readRefused(signal),
    enabled: false,
  })
  useEffect(() => void read.refetch(), [])
  return read
}

const Errors = () => {
  const read = useRefused()
  const again = (
    <Button icon="refresh" onClick={() => void read.refetch()}>
      Refresh
    </Button>
  )
  if (read.error) return <Refusal error={read.error} onRetry={() => void read.refetch()} />
  if (read.data === undefined) return <Skeleton className="h-32" />
  const groups = errorGroups(read.data.requests)
  if (groups.length === 0)
    return (
      <Empty title="Nothing was refused" actions={again} isSmall>
        Calls of 30 days that were refused are counted here, by code, endpoint and key.
      </Empty>
    )
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="max-w-[70ch] text-sm text-pretty text-muted">{reachText(read.data)}</p>
        {again}
      </div>
      <ul className="grid gap-3">
        {groups.slice(0, groupsMost).map((group) => (
          <li key={group.requestId}>
            <Group group={group} />
          </li>
        ))}
      </ul>
      {groups.length > groupsMost && (
        <p className="mt-3 text-sm text-muted">
          {groups.length - groupsMost} more groups, that were refused last before these, are not
          shown.
        </p>
      )}
    </>
  )
}

export default Errors

const reachText = ({ requests, hasMore }: Refused): string => {
  const count = `${requests.length} refused ${requests.length === 1 ? 'call' : 'calls'}`
  return hasMore
    ? `The latest ${count}, since ${timeText(requests.at(-1)!.created_at, 'short')}; earlier ones are not counted here.`
    : `${count} in 30 days.`
}

const Group = ({ group }: { group: ErrorGroup }) => {
  const { code, status, method, endpoint, count, first, last, keyId } = group
  const org = useSession().organization.id
  const fix = (definitions as Record<string, { fix: string } | undefined>)[code]?.fix
  return (
    <article
      aria-label={`${code}, ${method} ${endpoint}`}
      className="rounded-lg border border-line bg-paper px-4 py-3"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="min-w-0">
          <span className="font-semibold">{code}</span>{' '}
          <code className="font-mono text-xs break-all text-muted">
            {method} {endpoint}
          </code>
        </h2>
        <span className="tabular font-medium">
          {count} {count === 1 ? 'time' : 'times'}
        </span>
      </div>
      <p className="mt-0.5 text-sm text-muted">
        <KeyName id={keyId} /> ·{' '}
        {count > 1 && (
          <>
            first <Time at={first} isExact /> · last{' '}
          </>
        )}
        <Time at={last} isExact />
      </p>
      {fix && <p className="mt-2 max-w-[80ch] text-pretty">{withCode(fix)}</p>}
      <LatestAnswer id={group.requestId} />
      <Link
        to="/o/$org/requests"
        params={{ org }}
        search={{ status: String(status), key: keyId ?? undefined, path: pathFilterOf(group) }}
        className="mt-2 inline-block min-h-6 text-sm text-accent"
      >
        Show its requests
      </Link>
    </article>
  )
}

const KeyName = ({ id }: { id: string | null }) => {
  const keys = useRead<Page<Key>>('/v1/keys', { limit: 100 }, { refetchEveryMs: false })
  if (id === null) return 'People who are signed in'
  return keys.data?.data.find((key) => key.id === id)?.name ?? id
}

const LatestAnswer = ({ id }: { id: string }) => {
  const [isOpen, setIsOpen] = useState(false)
  const read = useRead<RequestLogDetail>(
    `/v1/requests/${id}`,
    {},
    { refetchEveryMs: false, isEnabled: isOpen },
  )
  return (
    <details className="group mt-2" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="flex min-h-6 items-center gap-1.5 text-sm text-muted marker:content-none hover:text-ink">
        <Icon name="chevron" className="group-open:rotate-90" />
        Latest answer
      </summary>
      <div className="mt-1 border-l-2 border-line pl-3 text-sm">
        {isOpen && (
          <Region read={read} skeleton="h-10">
            {({ error }) => (
              <>
                {(error === null || error.problems.length === 0) && (
                  <p>{error?.message ?? 'Nothing more is known about it.'}</p>
                )}
                {error?.problems.map(({ param, code, message, fix }) => (
                  <p key={param + code}>
                    <code className="font-mono text-xs">{param}</code> {message}
                    {fix && ` Fix: ${fix}`}
                  </p>
                ))}
              </>
            )}
          </Region>
        )}
      </div>
    </details>
  )
}

/** `code` in a text of the contract. */
const withCode = (text: string) =>
  text.split('`').map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      <code key={i} className="font-mono text-xs">
        {part}
      </code>
    ),
  )
