/**
 * The payments of many bills. Each has an Idempotency-Key that is kept until it is answered, and
 * pays the document as the person has seen it: neither a retry nor somebody else makes it two.
 */
import { useEffect, useMemo, useRef, useState } from 'react'
import { allRows } from '../api/all-rows.ts'
import { dropKey, dropOldKeys, keepKey, keptKey } from '../api/kept-keys.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, DocumentRecord, Page } from '../api/types.ts'
import { type Source, sourceOf } from './bulk-pay-from.tsx'
import {
  type BulkRow,
  type Step,
  failuresFirst,
  isAtRest,
  isPossible,
  isRefused,
  useBulkWork,
} from './bulk-work.ts'
import { paymentWrite } from './payment-write.ts'

/** So long nothing else is chosen before each is checked with what was. */
const chosenMs = 400

export const useBulkPay = (documents: readonly DocumentRecord[]) => {
  const { organization, user } = useSession()
  const [day, setDay] = useState('')
  const [sources, setSources] = useState<ReadonlyMap<Currency, Source>>(new Map())
  const { leftOut, toggle } = useLeftOut()
  const writeOf = (document: DocumentRecord) =>
    paymentWrite(document, { ...sourceOf(sources, document.currency), day })
  const intentionOf = (document: DocumentRecord): string => {
    const { path, body, ifMatch } = writeOf(document)
    return JSON.stringify([organization.id, user.id, path, ifMatch, body])
  }
  const bulk = useBulkWork(documents, {
    writeOf,
    keyOf: (document) => keptKey(intentionOf(document)),
    onSend: (document, key) => keepKey(intentionOf(document), key),
    onDecided: (document) => dropKey(intentionOf(document)),
  })
  const { setRows, check, send, ...work } = bulk
  const { rows } = work
  useOutcomes(bulk)
  const meant = rows.filter(({ document }) => !leftOut.has(document.id))
  const possible = meant.filter(isPossible)
  const open = meant.filter((row) => isRefused(row) && mayBePaid(row))

  const choice = JSON.stringify([...sources, day])
  const checked = useRef<string>(undefined)
  // What was chosen a moment ago is not sent before it is checked.
  const step: Step = checked.current === choice ? work.step : 'checking'
  useEffect(() => {
    if (checked.current === choice) return
    if (checked.current === undefined) dropOldKeys()
    const begin = () => {
      const isFirst = checked.current === undefined
      checked.current = choice
      void check(isFirst ? rows : rows.filter(mayBePaid))
    }
    const timer = setTimeout(begin, checked.current === undefined ? 0 : chosenMs)
    return () => clearTimeout(timer)
  }, [choice])
  /** As they are now. */
  const renewed = async (chosen: readonly BulkRow[]): Promise<BulkRow[]> => {
    const read = await readAgain(chosen.map(({ document }) => document.id))
    const renew = (row: BulkRow) => ({
      ...row,
      document: read.get(row.document.id) ?? row.document,
    })
    setRows((all) => all.map(renew))
    return chosen.map(renew)
  }
  useEffect(() => {
    const changed = rows.filter(({ refusal }) => [409, 412].includes(refusal?.status ?? 0))
    // That nothing can be read now is said by what is sent next.
    if (isAtRest(step) && changed.length > 0) void renewed(changed).catch(() => undefined)
  }, [step])
  return {
    ...work,
    step,
    day,
    setDay,
    sources,
    setSources,
    leftOut,
    toggle,
    meant,
    possible,
    open,
    send: () => void send(possible),
    checkAgain: () =>
      void renewed(open).then(
        (now) => check(now.filter(mayBePaid)),
        () => check(open),
      ),
  }
}

const isUnderWay = ({ done }: BulkRow): boolean =>
  ['created', 'processing'].includes(done?.body.payment?.status ?? '')

/** A payment that is under way may fail a moment later: of the first fifty, it is said here, too. */
const useOutcomes = ({ rows, setRows, step }: ReturnType<typeof useBulkWork>): void => {
  const id = rows
    .filter(isUnderWay)
    .slice(0, idsAtOnce)
    .map(({ document }) => document.id)
    .join()
  const { data } = useRead<Page<DocumentRecord>>(
    '/v1/documents',
    { id, limit: idsAtOnce },
    { isEnabled: isAtRest(step) && id !== '' },
  )
  useEffect(() => {
    if (data === undefined) return
    const now = new Map(data.data.map((document) => [document.payment?.id, document]))
    const followed = (row: BulkRow): BulkRow => {
      const body = isUnderWay(row) ? now.get(row.done?.body.payment?.id) : undefined
      return body === undefined ? row : { ...row, done: { body, isReplay: false } }
    }
    setRows((all) => failuresFirst(all.map(followed)))
  }, [data])
}

export type BulkPay = ReturnType<typeof useBulkPay>

/** To pay once more what is paid already answers that payment, so it is not asked for. */
const mayBePaid = ({ document, done }: BulkRow): boolean => done === undefined && document.payable

/** What is not meant after all. To change it stays one function, so that not every row is drawn. */
const useLeftOut = () => {
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set())
  const toggle = useMemo(
    () => (id: string) =>
      setLeftOut((all) => {
        const next = new Set(all)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  return { leftOut, toggle }
}

const idsAtOnce = 50

const readAgain = async (ids: readonly string[]): Promise<Map<string, DocumentRecord>> => {
  const { signal } = new AbortController()
  const read: DocumentRecord[] = []
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const query = { id: ids.slice(at, at + idsAtOnce).join() }
    read.push(...(await allRows<DocumentRecord>('/v1/documents', query, { signal })).rows)
  }
  return new Map(read.map((document) => [document.id, document]))
}
