/** Signatures of parties: section 13 of FORMAT.md. Whatever contradicts it fails with PARTY. */

import { isSignature, isStrongPoint, sha256 } from './ed25519.ts'
import {
  decodeBase64,
  ensure,
  field,
  isObject,
  parseAnySpelling,
  type Json,
  type JsonObject,
} from './json.ts'
import { organizationOf } from './replay.ts'
import { isId, type Bundle, type Event } from './shape.ts'
import { parseSignatureBase, type SignatureBase } from './signature-base.ts'
import type { Party } from './trust.ts'

/** What the rules look at: the telling body, and who did what it tells. */
type Telling = {
  body: JsonObject
  type: Json | undefined
  actorOrganization: Json | undefined
  actorKind: Json | undefined
}

/** `shared`, or `issuer` if `shared` is open and null, which is a draft. */
function tellingSlot(event: Event): string {
  return event.open.get('shared')?.body === null ? 'issuer' : 'shared'
}

function readTelling(body: JsonObject): Telling {
  const value = field(body, 'actor')
  const actor = isObject(value) ? value : {}
  return {
    body,
    type: field(body, 'type'),
    actorOrganization: field(actor, 'organization_id'),
    actorKind: field(actor, 'kind'),
  }
}

/** Rule 7: whether method and path ask for the type of the event. */
function asksFor(base: SignatureBase, type: Json | undefined, documentId: string): boolean {
  const method = base.components.get('@method')
  const path = base.components.get('@path') ?? ''
  const here = `/v1/documents/${documentId}`
  if (type === 'document.edited') {
    return method === 'PATCH' && path === here
  }
  if (method !== 'POST') {
    return false
  }
  switch (type) {
    case 'document.created': {
      const convert = /^\/v1\/documents\/([^/]+)\/convert$/.exec(path)
      const isConvert = convert !== null && isId(convert[1], 'doc_')
      return path === '/v1/documents' || path === '/v1/documents/import' || isConvert
    }
    case 'document.issued':
      return path === `${here}/issue`
    case 'attachment.added':
      return path === `${here}/attachments`
    default:
      return (
        path.startsWith(`${here}/`) &&
        path.length > here.length + 1 &&
        path !== `${here}/issue` &&
        path !== `${here}/attachments`
      )
  }
}

/** Whether a text is the body of a request for that status (rule 8). */
function asksForStatus(text: string, status: Json): boolean {
  const request = parseAnySpelling(text)
  const to = isObject(request) ? field(request, 'to') : undefined
  return (
    typeof to === 'string' && (to === status || (to === 'paid' && status === 'payment_scheduled'))
  )
}

/** Rule 8: whether the request is the one that was signed, as far as the viewer can tell. */
function isSignedRequest(
  base: SignatureBase,
  telling: Telling,
  bundle: Bundle,
  event: Event,
): boolean {
  const digest = base.components.get('content-digest')
  const own = event.open.get(bundle.role)
  const request = own?.body ? field(own.body, 'request') : undefined
  if (telling.type === 'attachment.added') {
    return digest !== undefined && request === undefined
  }
  if (own === undefined) {
    return true
  }
  const text = typeof request === 'string' ? request : ''
  const isDigest = digest === `sha-256=:${sha256(text).toString('base64')}:`
  if (!isDigest && !(digest === undefined && text === '')) {
    return false
  }
  const set = field(telling.body, 'set')
  const status = isObject(set) ? field(set, 'status') : undefined
  const isTransition = base.components.get('@path')?.endsWith('/transition') === true
  return !isTransition || status === undefined || asksForStatus(text, status)
}

/** Rule 1: no slot that the viewer reads, other than the telling one, has a signature. */
function checkOtherSlots(event: Event, telling: string): void {
  for (const [slot, { body }] of event.open) {
    ensure(slot === telling || body === null || !Object.hasOwn(body, 'signature'), 'PARTY')
  }
}

/** Rule 2: an open telling slot has no signature, where nothing says that it should have one. */
function checkUnsigned(
  telling: Telling,
  event: Event,
  bundle: Bundle,
  parties: Map<string, Party>,
): void {
  const own = event.open.get(bundle.role)?.body
  ensure(!own || !Object.hasOwn(own, 'request'), 'PARTY')
  const { actorOrganization, type } = telling
  const party = typeof actorOrganization === 'string' ? parties.get(actorOrganization) : undefined
  ensure(typeof type !== 'string' || party?.required.includes(type) !== true, 'PARTY')
}

/** PARTY for all events; `bases` has what earlier events have signed. */
export function checkParties(bundle: Bundle, state: JsonObject, parties: Map<string, Party>): void {
  const bases = new Set<string>()
  const organizations = [organizationOf(state, 'issuer'), organizationOf(state, 'counterparty')]
  for (const event of bundle.events) {
    const slot = tellingSlot(event)
    checkOtherSlots(event, slot)
    const opening = event.open.get(slot)
    const telling = readTelling(opening?.body ?? {})
    const signature = field(telling.body, 'signature')
    if (opening === undefined) {
      continue
    }
    if (!isObject(signature)) {
      checkUnsigned(telling, event, bundle, parties)
      continue
    }
    const { actorOrganization: actor, actorKind } = telling
    const isParty = typeof actor === 'string' && organizations.includes(actor)
    ensure(isParty && actorKind === 'api_key', 'PARTY')
    const text = field(signature, 'base') as string
    ensure(!bases.has(text), 'PARTY')
    bases.add(text)
    const base = parseSignatureBase(text)
    ensure(base !== undefined, 'SHAPE')
    const key = decodeBase64(base.parameters.get('keyid') ?? '')
    const value = decodeBase64(field(signature, 'value') as string)
    ensure(key !== undefined && isStrongPoint(key), 'PARTY')
    ensure(value !== undefined && isSignature(key, text, value), 'PARTY')
    const trusted = parties.get(actor)
    ensure(trusted === undefined || trusted.keys.some((known) => known.equals(key)), 'PARTY')
    ensure(asksFor(base, telling.type, bundle.documentId), 'PARTY')
    const isViewer = bundle.organization === actor
    ensure(!isViewer || isSignedRequest(base, telling, bundle, event), 'PARTY')
  }
}
