import { pause } from './attempt.js';
import { ApiError, ConnectionError } from './errors.js';
import { list } from './lists.js';
import { jitterMs, retryAfterMs } from './retries.js';
export async function* eventsFollow(client, { after, signal, intervalMs = 2_000, ...filters } = {}) {
    const read = (query) => list(client, '/v1/events', query, { signal });
    let last = after;
    let isStarted = after !== undefined;
    let failures = 0;
    while (!isAborted(signal)) {
        try {
            if (last === undefined) {
                const before = isStarted ? await newestFirst(read) : [];
                const newest = isStarted ? before.at(-1) : (await read({ limit: 1 })).data[0];
                isStarted = true;
                last = newest?.id;
                for (const event of before)
                    if (matches(event, filters))
                        yield event;
            }
            else {
                for await (const event of read({ ...filters, after: last, limit: 100 })) {
                    yield event;
                    last = event.id;
                    if (isAborted(signal))
                        return;
                }
            }
            failures = 0;
            await pause(intervalMs, signal);
        }
        catch (error) {
            if (isAborted(signal))
                return;
            const delay = delayAfter(error, failures);
            if (delay === undefined)
                throw error;
            failures += 1;
            await pause(delay, signal).catch(() => undefined);
        }
    }
}
const isAborted = (signal) => signal?.aborted === true;
const newestFirst = async (read) => {
    const events = [];
    for await (const event of read({ limit: 100 }))
        events.push(event);
    return events.toReversed();
};
const matches = (event, { type, document }) => (type === undefined || [type].flat().includes(event.type)) &&
    (document === undefined || event.data.document.id === document);
const delayAfter = (error, failures) => {
    if (error instanceof ConnectionError)
        return jitterMs(failures);
    if (!(error instanceof ApiError))
        return undefined;
    if (error.headers.get('svc-should-retry') !== 'true')
        return undefined;
    return retryAfterMs(error.headers) ?? jitterMs(failures);
};
