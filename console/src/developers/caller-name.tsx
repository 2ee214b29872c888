/** Who made a call: a key by its name and prefix, or a person. */
import { useRead } from '../api/reads.ts'
import type { Key, Member, Page, RequestLogEntry } from '../api/types.ts'

const newest = { limit: 100 }
const once = { refetchEveryMs: false } as const

/** One that is not among the newest, or has left, is named by its id. */
export const CallerName = ({ key_id, user_id }: Pick<RequestLogEntry, 'key_id' | 'user_id'>) => {
  const isKey = key_id !== null
  const keys = useRead<Page<Key>>('/v1/keys', newest, { ...once, isEnabled: isKey })
  const members = useRead<Page<Member>>('/v1/members', newest, { ...once, isEnabled: !isKey })
  if (!isKey) {
    const person = members.data?.data.find((one) => one.user_id === user_id)
    return <bdi>{person?.name ?? user_id ?? 'a session'}</bdi>
  }
  const key = keys.data?.data.find(({ id }) => id === key_id)
  if (key === undefined) return key_id
  return (
    <>
      <bdi>{key.name}</bdi> <code className="font-mono text-xs">{key.prefix}…</code>
    </>
  )
}
