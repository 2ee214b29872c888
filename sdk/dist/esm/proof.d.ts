/** The export of a document's proof: its exact bytes count, since their digest does. */
import type { Client } from './client.js';
import type { ProofBundle } from './generated/types.js';
import type { ReadOptions } from './request.js';
export interface Proof {
    /** Keep these bytes as they are: the verifier reads them. */
    bytes: Uint8Array;
    /** SHA-256 of the bytes in hex, equal to the one that the service announced. */
    digest: string;
    bundle: ProofBundle;
}
export declare const proof: (client: Client, path: string, options?: ReadOptions) => Promise<Proof>;
