/** Replay of the events: section 5 of FORMAT.md, REPLAY and the second ROLE of section 9. */

import { sha256 } from './ed25519.ts'
import { canonical, emptyObject, ensure, field, isObject, type JsonObject } from './json.ts'
import type { Bundle, Event, Role } from './shape.ts'

const FINANCE_FIELDS = ['balance_due', 'due_date', 'pledge', 'status']

/** The body of an open slot, `{}` where it is closed or null. */
function bodyOf(event: Event, slot: string): JsonObject {
  return event.open.get(slot)?.body ?? {}
}

function isErasing(body: JsonObject): boolean {
  return field(body, 'type') === 'content.erased'
}

/** Assigns every field of the body's `set`, plainly. */
function assign(state: JsonObject, body: JsonObject): void {
  const set = field(body, 'set')
  if (isObject(set)) {
    for (const [key, value] of Object.entries(set)) {
      state[key] = value
    }
  }
}

/** The four fields of `finance` equal those of the state, where a missing one counts as null. */
function checkFinance(event: Event, state: JsonObject): void {
  const finance = event.open.get('finance')?.body ?? null
  if (finance !== null) {
    for (const name of FINANCE_FIELDS) {
      ensure(canonical(finance[name]!) === canonical(field(state, name) ?? null), 'REPLAY')
    }
  }
}

/** What both sides share is not for the slot of one to change, except the pledge (section 5). */
function checkOwn(own: JsonObject, shared: JsonObject): void {
  const names = Object.keys((field(own, 'set') ?? {}) as JsonObject)
  ensure(
    names.every((name) => name === 'pledge' || field(shared, name) === undefined),
    'REPLAY',
  )
}

/** REPLAY: returns the state after the last event (section 5). */
export function replay(bundle: Bundle): JsonObject {
  let state = emptyObject()
  let shared = emptyObject()
  let hasGap = false
  for (const event of bundle.events) {
    const both = bodyOf(event, 'shared')
    const own = bodyOf(event, bundle.role)
    if (isErasing(both) || isErasing(own)) {
      state = emptyObject()
      hasGap = false
    }
    if (isErasing(both)) {
      shared = emptyObject()
    }
    assign(shared, both)
    assign(state, both)
    assign(state, own)
    checkOwn(own, shared)
    const expected = field(both, 'state')
    if (expected !== undefined) {
      ensure(expected === sha256(canonical(shared)).toString('hex'), 'REPLAY')
    }
    // What is closed here is missing until the next erasure begins the state anew.
    hasGap ||= !event.open.has('shared') || !event.open.has(bundle.role)
    if (bundle.role === 'issuer' && !hasGap) {
      checkFinance(event, state)
    }
  }
  ensure(canonical(bundle.state) === canonical(state), 'REPLAY')
  return state
}

/** The organization of a party in the replayed state. */
export function organizationOf(state: JsonObject, role: Role): string | undefined {
  const party = field(state, role)
  const id = isObject(party) ? field(party, 'organization_id') : undefined
  return typeof id === 'string' ? id : undefined
}

/** ROLE: the viewer is who the replayed state and every `parties` in `shared` say (section 9). */
export function checkViewer(bundle: Bundle, state: JsonObject): void {
  ensure(organizationOf(state, bundle.role) === bundle.organization, 'ROLE')
  for (const event of bundle.events) {
    const parties = field(bodyOf(event, 'shared'), 'parties')
    if (isObject(parties)) {
      ensure(field(parties, bundle.role) === bundle.organization, 'ROLE')
    }
  }
}
