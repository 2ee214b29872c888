import type { DocexKeyStore } from './key-store.js';
export declare class FileKeyStore implements DocexKeyStore {
    #private;
    constructor(path: string);
    get(name: string): Promise<string | undefined>;
    set(name: string, key: string | undefined): Promise<void>;
}
