"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.eventsFollow = eventsFollow;
const attempt_ts_1 = require("./attempt.js");
const errors_ts_1 = require("./errors.js");
const lists_ts_1 = require("./lists.js");
const retries_ts_1 = require("./retries.js");
async function* eventsFollow(client, { after, signal, intervalMs = 2_000, ...filters } = {}) {
    const read = (query) => (0, lists_ts_1.list)(client, '/v1/events', query, { signal });
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
            await (0, attempt_ts_1.pause)(intervalMs, signal);
        }
        catch (error) {
            if (isAborted(signal))
                return;
            const delay = delayAfter(error, failures);
            if (delay === undefined)
                throw error;
            failures += 1;
            await (0, attempt_ts_1.pause)(delay, signal).catch(() => undefined);
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
    if (error instanceof errors_ts_1.ConnectionError)
        return (0, retries_ts_1.jitterMs)(failures);
    if (!(error instanceof errors_ts_1.ApiError))
        return undefined;
    if (error.headers.get('svc-should-retry') !== 'true')
        return undefined;
    return (0, retries_ts_1.retryAfterMs)(error.headers) ?? (0, retries_ts_1.jitterMs)(failures);
};
