/** Requires the signature of the party on the writes of a key that has a signing key (RFC 9421). */
import { hash } from 'node:crypto'
import { unauthorized } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { checkRequestSignature } from '../../core/identity/request-signature.ts'
import type { RequestSignature } from '../../core/provenance/signed-slots.ts'
import type { Exchange } from '../exchange.ts'
import type { BodyText } from '../parsing/body.ts'

export interface SignedBody {
  length: number
  sha256(): Buffer
  /** Null if it is empty or a form with a file. */
  text: string | null
}

export const bodyOf = ({ length, text }: BodyText): SignedBody => ({
  length,
  sha256: () => hash('sha256', text ?? '', 'buffer'),
  text: length === 0 || text === undefined ? null : text,
})

/** Null if the key does not sign. */
export const signatureOf = (
  { request, path, search, pipeline }: Exchange,
  signingKey: Buffer | null | undefined,
  body: SignedBody,
): RequestSignature | null => {
  if (signingKey == null) return null
  const { method = '', headers } = request
  const nowSeconds = Math.floor(Date.now() / 1000)
  // A signed text must not be executed again once its Idempotency-Key is forgotten.
  const toleranceSeconds = Math.min(
    limits.signatureToleranceSeconds,
    Math.floor(pipeline.context.config.idempotencyRetentionMs / 2_000),
  )
  const received = { method, path, search, headers, body, toleranceSeconds }
  const checked = checkRequestSignature(received, signingKey, nowSeconds)
  if (!checked.ok) throw unauthorized(checked.message)
  return { ...checked.signature, request: body.text }
}
