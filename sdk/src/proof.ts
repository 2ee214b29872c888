/** The export of a proof: its exact bytes count, since their digest does. */
import type { Client } from './client.ts'
import { ConnectionError } from './errors.ts'
import type { ProofBundle } from './generated/types.ts'
import { sha256 } from './key-store.ts'
import type { ReadOptions } from './request.ts'

export interface Proof<B = ProofBundle> {
  /** Keep these bytes as they are: the verifier reads them. */
  bytes: Uint8Array
  /** SHA-256 of the bytes in hex, equal to the one that the service announced. */
  digest: string
  bundle: B
}

export const proof = async (
  client: Client,
  path: string,
  options?: ReadOptions,
): Promise<Proof> => {
  const { data: bytes, headers } = await client.bytes({ method: 'GET', path }, options)
  const digest = await sha256(bytes)
  const announced = headers.get('svc-bundle-digest')
  if (announced !== null && announced !== digest) {
    throw new ConnectionError('The proof that arrived is not the one that was sent.')
  }
  return { bytes, digest, bundle: JSON.parse(new TextDecoder().decode(bytes)) as ProofBundle }
}
