/**
 * Tokens that nothing is stored of: they say what they are for and until when, under a MAC of the
 * server key.
 */
import { timingSafeEqual } from 'node:crypto'
import type { RowSeals } from '../../database/row-seals.ts'

/** `text` must differ from every credential, so that its MAC is the MAC of none. */
export const signatureOf = (seals: RowSeals, text: string): string =>
  seals.credentialMac(text).toString('base64url')

export const isSignatureOf = (seals: RowSeals, text: string, signature: string): boolean => {
  const given = Buffer.from(signature, 'base64url')
  return seals
    .credentialMacs(text)
    .some((valid) => valid.length === given.length && timingSafeEqual(valid, given))
}
