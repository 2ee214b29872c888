/** The chain of events and their places in the log: sections 4, 6 and 9 of FORMAT.md. */

import { sha256 } from './ed25519.ts'
import { canonical, ensure } from './json.ts'
import type { Checkpoint, Head } from './note.ts'
import type { Bundle, Event, Role, Slot } from './shape.ts'

/** The slots of an event that the role reads, section 4. */
export function readableSlots(role: Role, event: Event): Slot[] {
  const slots: Slot[] =
    role === 'issuer' ? ['shared', 'issuer', 'finance'] : ['shared', 'counterparty']
  return slots.filter((slot) => event.commitments.has(slot))
}

/** STREAM, CHAIN and ORDER, event by event; returns the stream (section 9). */
export function checkChain(bundle: Bundle): string {
  const salt = Buffer.from(bundle.streamSalt, 'hex')
  const stream = sha256('svc-stream/1\n', salt, bundle.documentId).toString('hex')
  let previous: Event | undefined
  for (const event of bundle.events) {
    ensure(event.stream === stream, 'STREAM')
    ensure(event.seq === (previous?.seq ?? 0) + 1, 'CHAIN')
    ensure(event.prev === (previous?.hash.toString('hex') ?? null), 'CHAIN')
    ensure(event.version >= (previous?.version ?? 1), 'CHAIN')
    ensure(previous === undefined || event.at >= previous.at, 'ORDER')
    previous = event
  }
  return stream
}

/** ROLE: no slot of the other side is open; then COMMITMENT: every opening matches (section 9). */
export function checkOpenings(bundle: Bundle): void {
  for (const event of bundle.events) {
    const readable: string[] = readableSlots(bundle.role, event)
    for (const slot of event.open.keys()) {
      ensure(readable.includes(slot), 'ROLE')
    }
  }
  for (const event of bundle.events) {
    for (const [slot, { body, salt }] of event.open) {
      const hash = sha256('svc-slot/1\n', Buffer.from(salt, 'hex'), canonical(body))
      ensure(hash.toString('hex') === event.commitments.get(slot), 'COMMITMENT')
    }
  }
}

/**
 * The root to which index and path lead, RFC 6962 2.1.1 by the algorithm of RFC 9162 2.1.3.2, or
 * nothing if the path has the wrong length. Sizes may exceed 32 bits: no bitwise operators here.
 */
function rootOf(event: Event, size: number): Buffer | undefined {
  let position = event.index
  let last = size - 1
  let hash = event.hash
  for (const text of event.path) {
    if (last === 0) {
      return undefined
    }
    const sibling = Buffer.from(text, 'hex')
    if (position % 2 === 1 || position === last) {
      hash = sha256(Uint8Array.of(1), sibling, hash)
      while (position % 2 === 0 && position > 0) {
        position = Math.floor(position / 2)
        last = Math.floor(last / 2)
      }
    } else {
      hash = sha256(Uint8Array.of(1), hash, sibling)
    }
    position = Math.floor(position / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? hash : undefined
}

/** ORDER of the indexes and INCLUSION, event by event (section 9). */
export function checkInclusion(bundle: Bundle, checkpoint: Checkpoint): void {
  let previousIndex = -1
  for (const event of bundle.events) {
    ensure(event.index > previousIndex, 'ORDER')
    ensure(event.index < checkpoint.size, 'INCLUSION')
    ensure(rootOf(event, checkpoint.size)?.equals(checkpoint.root) === true, 'INCLUSION')
    previousIndex = event.index
  }
}

/** HEAD: the head note is about this stream, the last event and the checkpoint's size (9). */
export function checkHead(bundle: Bundle, stream: string, head: Head, size: number): void {
  const last = bundle.events[bundle.events.length - 1]
  ensure(head.stream === stream, 'HEAD')
  ensure(head.seq === last!.seq && head.eventHash === last!.hash.toString('hex'), 'HEAD')
  ensure(head.size === size, 'HEAD')
}
