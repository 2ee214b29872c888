"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.claimFrom = exports.newKey = exports.sha256 = void 0;
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const sha256 = async (bytes) => hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
exports.sha256 = sha256;
const newKey = () => `docex-${hex(crypto.getRandomValues(new Uint8Array(16)))}`;
exports.newKey = newKey;
const claimFrom = (store) => {
    const claimed = new Set();
    return async (content) => {
        const digest = await (0, exports.sha256)(content);
        let place = 0;
        while (claimed.has(`${digest}.${place}`))
            place += 1;
        const name = `${digest}.${place}`;
        claimed.add(name);
        try {
            const stored = await store.get(name);
            const key = stored ?? (0, exports.newKey)();
            if (stored !== key)
                await store.set(name, key);
            return {
                key,
                release: async (isKnown) => {
                    if (isKnown)
                        await store.set(name, undefined);
                    claimed.delete(name);
                },
            };
        }
        catch (error) {
            claimed.delete(name);
            throw error;
        }
    };
};
exports.claimFrom = claimFrom;
