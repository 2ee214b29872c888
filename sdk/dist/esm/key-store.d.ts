/**
 * Idempotency-Keys. A write has one key for all its attempts. With a store, the key of a write
 * whose outcome is not known survives a restart: the same call finds it and has no second effect.
 */
/** A Map is one; so is a file or a table. `set` with undefined removes the entry. */
export interface DocexKeyStore {
    get(name: string): string | null | undefined | Promise<string | null | undefined>;
    set(name: string, key: string | undefined): unknown;
}
export interface ClaimedKey {
    key: string;
    /** The outcome is known: the next such call is another intention. */
    release(isKnown: boolean): Promise<void>;
}
export declare const sha256: (bytes: Uint8Array) => Promise<string>;
export declare const newKey: () => string;
export type ClaimKey = (content: Uint8Array) => Promise<ClaimedKey>;
/** Equal writes that run at the same time are different intentions, and have different entries. */
export declare const claimFrom: (store: DocexKeyStore) => ClaimKey;
