/** A rotation while both keys work: who still uses the old one, and when it ends. */
import type { ReactNode } from 'react'
import { serviceNow } from '../api/service-clock.ts'
import type { Key } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Ago, Time } from '../design/format.tsx'
import { Panel } from '../design/layout.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { Status } from '../design/status.tsx'
import { countedMost, hourMs, useCallsOf, useKeys, useLastUse } from './calls-of-key.ts'
import type { KeyChange } from './change-key-dialog.tsx'
import { Countdown } from './countdown.tsx'

interface KeyRotationsProps {
  onChange: (change: KeyChange) => void
}

export const KeyRotations = ({ onChange }: KeyRotationsProps) => {
  const keys = useKeys()
  return keys
    .filter(({ status }) => status === 'rotating')
    .map((old) => (
      <KeyRotation
        key={old.id}
        old={old}
        next={keys.find(({ id }) => id === old.rotated_to_id)}
        onChange={onChange}
      />
    ))
}

interface PairProps extends KeyRotationsProps {
  old: Key
  next: Key | undefined
}

const KeyRotation = ({ old, next, onChange }: PairProps) => {
  const isReplaced = next?.status === 'active' || next?.status === 'rotating'
  return (
    <Panel
      title={`Rotation of ${old.name}`}
      aside={
        <Button
          aria-label={`End the grace of ${old.name} now`}
          onClick={() => onChange({ verb: 'revoke', key: old })}
        >
          End grace now…
        </Button>
      }
      className="mb-6"
    >
      <div className="grid divide-line max-md:divide-y md:grid-cols-2 md:divide-x">
        <Side title="Old key" of={old} quiet={isReplaced ? 'good' : 'neutral'}>
          It works until <Time at={old.expires_at} />
          {old.expires_at && (
            <>
              {': '}
              <Countdown until={old.expires_at} />
            </>
          )}
          .
        </Side>
        {next && (
          <Side title="New key" of={next} quiet="neutral">
            {isReplaced
              ? 'It works from now on.'
              : `It is ${next.status}, so nothing replaces the old key: create another one before that ends.`}
          </Side>
        )}
      </div>
    </Panel>
  )
}

interface SideProps {
  title: 'Old key' | 'New key'
  of: Key
  /** How it is shown that nobody has used it for an hour. */
  quiet: 'good' | 'neutral'
  children: ReactNode
}

const Side = ({ title, of, quiet, children }: SideProps) => {
  const calls = useCallsOf(of.id)
  const last = calls.data?.data[0]
  const lastUsed = useLastUse(of)
  const hourAgo = serviceNow() - hourMs
  const count = calls.data?.data.filter(
    ({ created_at }) => Date.parse(created_at) >= hourAgo,
  ).length
  const isOld = title === 'Old key'
  return (
    <section aria-label={title} className="p-4">
      <h3 className="text-sm text-muted">{title}</h3>
      <code className="font-mono text-sm">{of.prefix}…</code>
      <p className="mt-2">{children}</p>
      <p className="mt-1 text-muted">
        {lastUsed ? (
          <>
            Last used <Ago at={lastUsed} />
            {last?.address && ` from ${last.address}`}.
          </>
        ) : (
          'Never used.'
        )}
      </p>
      <p className="mt-2">
        {count === undefined ? (
          <Skeleton className="h-5 w-40" />
        ) : (
          <Status tone={count === 0 ? quiet : isOld ? 'warning' : 'good'}>
            {!isOld && count === 0 && of.last_used_at === null ? 'Not used yet' : callsText(count)}
          </Status>
        )}
      </p>
    </section>
  )
}

const callsText = (count: number): string => {
  if (count === 0) return 'No call in the last hour'
  if (count >= countedMost) return `${countedMost} calls or more in the last hour`
  return count === 1 ? '1 call in the last hour' : `${count} calls in the last hour`
}
