"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.retryDelayMs = exports.jitterMs = exports.retryAfterMs = void 0;
const retryAfterMaxMs = 60_000;
const firstDelayMs = 500;
const longestDelayMs = 8_000;
const retryAfterMs = (headers) => {
    const value = headers.get('retry-after');
    if (value === null)
        return undefined;
    const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
    return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};
exports.retryAfterMs = retryAfterMs;
const jitterMs = (failures) => {
    const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
    return (drawn / 2 ** 32) * Math.min(longestDelayMs, firstDelayMs * 2 ** failures);
};
exports.jitterMs = jitterMs;
const retryDelayMs = (headers, failures) => {
    if (headers.get('svc-should-retry') !== 'true')
        return undefined;
    const asked = (0, exports.retryAfterMs)(headers);
    if (asked === undefined)
        return (0, exports.jitterMs)(failures);
    return asked > retryAfterMaxMs ? undefined : asked;
};
exports.retryDelayMs = retryDelayMs;
