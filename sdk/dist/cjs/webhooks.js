"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.signPayload = exports.constructEvent = exports.SignatureError = void 0;
const errors_ts_1 = require("./errors.js");
var errors_ts_2 = require("./errors.js");
Object.defineProperty(exports, "SignatureError", { enumerable: true, get: function () { return errors_ts_2.SignatureError; } });
const toleranceSeconds = 300;
const encoder = new TextEncoder();
const constructEvent = async (payload, header, secret, { now = Date.now() / 1000 } = {}) => {
    const body = typeof payload === 'string' ? encoder.encode(payload) : payload;
    const { seconds, isValid } = await checked(body, signaturesOf(header), secret);
    if (!isValid) {
        throw new errors_ts_1.SignatureError('The signature does not match: check the secret and use the raw body.');
    }
    if (Math.abs(now - seconds) > toleranceSeconds) {
        throw new errors_ts_1.SignatureError(`Signed ${Math.round(now - seconds)} s ago; ${toleranceSeconds} are allowed.`);
    }
    return JSON.parse(new TextDecoder().decode(body));
};
exports.constructEvent = constructEvent;
const signPayload = async (payload, secret, { now = Date.now() / 1000 } = {}) => {
    const seconds = Math.floor(now);
    const body = typeof payload === 'string' ? encoder.encode(payload) : payload;
    const bytes = await crypto.subtle.sign('HMAC', await keyOf(encoder.encode(secret)), joined(`${seconds}.`, body));
    const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0'));
    return `t=${seconds},v1=${hex.join('')}`;
};
exports.signPayload = signPayload;
const signaturesOf = (header) => {
    const own = typeof header === 'string' ? header : headerOf(header, 'svc-signature');
    const id = typeof header === 'string' ? undefined : headerOf(header, 'webhook-id');
    if (own !== undefined || id === undefined || typeof header === 'string') {
        const entries = (own ?? '').split(',').map((entry) => entry.split('='));
        const valuesOf = (name) => entries.filter(([key]) => key === name).map(([, value = '']) => value);
        const [timestamp = ''] = valuesOf('t');
        return { scheme: 'svc', timestamp, id: '', signatures: valuesOf('v1') };
    }
    const entries = (headerOf(header, 'webhook-signature') ?? '').split(' ');
    return {
        scheme: 'standard',
        timestamp: headerOf(header, 'webhook-timestamp') ?? '',
        id,
        signatures: entries.filter((one) => one.startsWith('v1,')).map((one) => one.slice(3)),
    };
};
const headerOf = (headers, name) => {
    if (headers instanceof Headers)
        return headers.get(name) ?? undefined;
    const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    return typeof found === 'string' ? found : found?.[0];
};
const checked = async (body, { scheme, timestamp, id, signatures }, secret) => {
    if (!/^\d{1,15}$/.test(timestamp)) {
        throw new errors_ts_1.SignatureError('There is no signature: pass the header Svc-Signature.');
    }
    const isOwn = scheme === 'svc';
    const decode = isOwn ? fromHex : fromBase64;
    const secretBytes = isOwn ? encoder.encode(secret) : fromBase64(secret.replace(/^whsec_/, ''));
    const key = await keyOf(secretBytes ?? new Uint8Array(1));
    const signed = joined(isOwn ? `${timestamp}.` : `${id}.${timestamp}.`, body);
    for (const text of signatures) {
        const signature = decode(text);
        if (signature === undefined || secretBytes === undefined)
            continue;
        if (await crypto.subtle.verify('HMAC', key, signature, signed)) {
            return { seconds: Number(timestamp), isValid: true };
        }
    }
    return { seconds: Number(timestamp), isValid: false };
};
const keyOf = (bytes) => crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
]);
const joined = (prefix, body) => {
    const start = encoder.encode(prefix);
    const all = new Uint8Array(start.length + body.length);
    all.set(start);
    all.set(body, start.length);
    return all;
};
const fromHex = (text) => /^([0-9a-f]{2})+$/.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : undefined;
const fromBase64 = (text) => {
    try {
        return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    }
    catch {
        return undefined;
    }
};
