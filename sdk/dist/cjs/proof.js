"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.proof = void 0;
const errors_ts_1 = require("./errors.js");
const key_store_ts_1 = require("./key-store.js");
const proof = async (client, path, options) => {
    const { data: bytes, headers } = await client.bytes({ method: 'GET', path }, options);
    const digest = await (0, key_store_ts_1.sha256)(bytes);
    const announced = headers.get('svc-bundle-digest');
    if (announced !== null && announced !== digest) {
        throw new errors_ts_1.ConnectionError('The proof that arrived is not the one that was sent.');
    }
    return { bytes, digest, bundle: JSON.parse(new TextDecoder().decode(bytes)) };
};
exports.proof = proof;
