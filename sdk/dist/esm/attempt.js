import { ConnectionError, TimeoutError } from './errors.js';
export const attempt = async (fetch, url, init, { signal, timeoutMs }) => {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort();
    let isLate = false;
    const timer = setTimeout(() => {
        isLate = true;
        abort();
    }, timeoutMs);
    signal?.addEventListener('abort', abort);
    try {
        const sent = { ...init, redirect: 'error', signal: controller.signal };
        return await received(await fetch(url, sent));
    }
    catch (cause) {
        signal?.throwIfAborted();
        if (isLate)
            throw new TimeoutError(`No complete answer within ${timeoutMs} ms.`, { cause });
        if (cause instanceof ConnectionError)
            throw cause;
        const { message } = cause;
        throw new ConnectionError(`The connection to ${new URL(url).origin} failed: ${message}`, {
            cause,
        });
    }
    finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
    }
};
const received = async (response) => {
    const { status, headers } = response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const length = headers.get('content-length');
    if (length !== null && !headers.has('content-encoding') && bytes.length < Number(length)) {
        throw new ConnectionError(`The answer ended after ${bytes.length} of ${length} bytes.`);
    }
    return { status, headers, bytes };
};
export const pause = (ms, signal) => new Promise((resolve, reject) => {
    const aborted = () => {
        clearTimeout(timer);
        reject(signal.reason);
    };
    const timer = setTimeout(() => {
        signal?.removeEventListener('abort', aborted);
        resolve();
    }, ms);
    if (signal?.aborted === true)
        aborted();
    else
        signal?.addEventListener('abort', aborted, { once: true });
});
