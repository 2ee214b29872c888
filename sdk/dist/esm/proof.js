import { ConnectionError } from './errors.js';
import { sha256 } from './key-store.js';
export const proof = async (client, path, options) => {
    const { data: bytes, headers } = await client.bytes({ method: 'GET', path }, options);
    const digest = await sha256(bytes);
    const announced = headers.get('svc-bundle-digest');
    if (announced !== null && announced !== digest) {
        throw new ConnectionError('The proof that arrived is not the one that was sent.');
    }
    return { bytes, digest, bundle: JSON.parse(new TextDecoder().decode(bytes)) };
};
