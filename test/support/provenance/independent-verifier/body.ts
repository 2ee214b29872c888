/** The form of bodies, and what may be closed: section 5 of FORMAT.md, SHAPE and WITHHELD of 9. */

import { readableSlots } from './events.ts'
import {
  decodeBase64,
  ensure,
  field,
  hasExactly,
  isCount,
  isHex,
  isObject,
  type Json,
  type JsonObject,
} from './json.ts'
import { isEventType, isId, type Bundle, type Event, type Slot } from './shape.ts'
import { parseSignatureBase } from './signature-base.ts'

const FINANCE_FIELDS = ['balance_due', 'due_date', 'pledge', 'status']

/** The body of `finance` that is not null: exactly four fields, section 5. */
function isFinance(body: JsonObject): boolean {
  if (!hasExactly(body, FINANCE_FIELDS)) {
    return false
  }
  const { balance_due: balance, due_date: day, pledge, status } = body
  return (
    typeof balance === 'string' &&
    /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(balance) &&
    (day === null || (typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day))) &&
    (pledge === null || isObject(pledge)) &&
    typeof status === 'string'
  )
}

function isParties(value: Json): boolean {
  return (
    hasExactly(value, ['counterparty', 'issuer']) &&
    isId(value.counterparty, 'org_') &&
    isId(value.issuer, 'org_')
  )
}

/** Objects with ascending seqs from 1 to one below the event's own. */
function isErased(value: Json, ownSeq: number): boolean {
  if (!Array.isArray(value)) {
    return false
  }
  let previous = 0
  for (const item of value) {
    const seq = isObject(item) ? field(item, 'seq') : undefined
    if (!isCount(seq) || seq <= previous || seq >= ownSeq) {
      return false
    }
    previous = seq
  }
  return true
}

function isPartySignature(value: Json): boolean {
  if (!hasExactly(value, ['base', 'value'])) {
    return false
  }
  const { base, value: signature } = value
  return (
    typeof base === 'string' &&
    parseSignatureBase(base) !== undefined &&
    typeof signature === 'string' &&
    decodeBase64(signature)?.length === 64
  )
}

/** The fields of the table in section 5, each only where it is present. */
function isBody(body: JsonObject, ownSeq: number): boolean {
  const forms: [string, (value: Json) => boolean][] = [
    ['type', isEventType],
    ['set', isObject],
    ['state', (value) => isHex(value, 32)],
    ['parties', isParties],
    ['erased', (value) => isErased(value, ownSeq)],
    ['signature', isPartySignature],
    ['request', (value) => typeof value === 'string'],
  ]
  return forms.every(([name, isForm]) => {
    const value = field(body, name)
    return value === undefined || isForm(value)
  })
}

/** SHAPE of the bodies (section 9). Slots of the other side are closed by now. */
export function checkBodies(bundle: Bundle): void {
  for (const event of bundle.events) {
    for (const [slot, { body }] of event.open) {
      if (body !== null) {
        ensure(slot === 'finance' ? isFinance(body) : isBody(body, event.seq), 'SHAPE')
      }
    }
  }
}

/** The seqs in the `erased` of a slot whose form has been checked, in an erasure (5). */
function erasedSeqs(event: Event, slot: Slot): number[] {
  const bodies = [event.open.get('shared')?.body, event.open.get(slot)?.body]
  const isErasure = bodies.some((one) => one && field(one, 'type') === 'content.erased')
  const items = isErasure && bodies[1] ? field(bodies[1], 'erased') : undefined
  return Array.isArray(items) ? items.map((item) => (item as { seq: number }).seq) : []
}

/** WITHHELD: a slot that the viewer reads is closed, and no later body of it says erased (9). */
export function checkWithheld(bundle: Bundle): void {
  // From the last event to the first, `erased` has what later bodies of the slot list.
  const erased = new Map<string, Set<number>>()
  for (const event of bundle.events.toReversed()) {
    for (const slot of readableSlots(bundle.role, event)) {
      const seqs = erased.get(slot) ?? new Set()
      erased.set(slot, seqs)
      ensure(event.open.has(slot) || seqs.has(event.seq), 'WITHHELD')
      if (slot !== 'finance') {
        erasedSeqs(event, slot).forEach((seq) => seqs.add(seq))
      }
    }
  }
}
