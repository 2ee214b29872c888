"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.createClient = void 0;
const api_promise_ts_1 = require("./api-promise.js");
const attempt_ts_1 = require("./attempt.js");
const errors_ts_1 = require("./errors.js");
const key_store_ts_1 = require("./key-store.js");
const request_ts_1 = require("./request.js");
const retries_ts_1 = require("./retries.js");
const version_ts_1 = require("./version.js");
const logLevels = ['off', 'error', 'warn', 'info', 'debug'];
const createClient = (options = {}) => {
    const settings = settingsOf(options);
    const bytes = (call, callOptions = {}) => send(settings, call, callOptions);
    return {
        bytes,
        json: (call, callOptions = {}) => new api_promise_ts_1.ApiPromise(bytes(call, callOptions).then(parsed)),
    };
};
exports.createClient = createClient;
const settingsOf = (options) => {
    const apiKey = options.apiKey ?? environment('DOCEX_API_KEY');
    const baseUrl = options.baseUrl ?? environment('DOCEX_BASE_URL');
    if (!apiKey)
        throw new TypeError('Send `apiKey`, or set DOCEX_API_KEY.');
    if (!baseUrl)
        throw new TypeError('Send `baseUrl`, such as https://…, or set DOCEX_BASE_URL.');
    const { keyStore, logLevel = 'off' } = options;
    const claim = keyStore && (0, key_store_ts_1.claimFrom)(keyStore);
    return {
        apiKey,
        baseUrl: baseUrl.replace(/\/+$/, ''),
        maxRetries: options.maxRetries ?? 2,
        timeoutMs: options.timeoutMs ?? 30_000,
        fetch: options.fetch ?? ((url, init) => fetch(url, init)),
        log: (level, message) => {
            if (logLevels.indexOf(level) <= logLevels.indexOf(logLevel))
                console[level](message);
        },
        claimKey: async (url, call) => claim ? claim(await (0, request_ts_1.contentOf)(url, call)) : { key: (0, key_store_ts_1.newKey)(), release: async () => undefined },
    };
};
const environment = (name) => {
    try {
        return globalThis.process?.env[name];
    }
    catch {
        return undefined;
    }
};
const parsed = (response) => ({
    ...response,
    data: JSON.parse(new TextDecoder().decode(response.data)),
});
const send = async (settings, call, options) => {
    const url = (0, request_ts_1.urlOf)(settings.baseUrl, call);
    const isWrite = call.method !== 'GET';
    const given = options.idempotencyKey ?? (options.dryRun === true ? (0, key_store_ts_1.newKey)() : undefined);
    const claimed = isWrite && given === undefined ? await settings.claimKey(url, call) : undefined;
    const key = isWrite ? (given ?? claimed?.key) : undefined;
    try {
        const response = await sendRepeatedly(settings, call, { url, key, options });
        await claimed?.release(true);
        return response;
    }
    catch (error) {
        if (error instanceof errors_ts_1.DocexError)
            error.idempotencyKey = key;
        const isRefused = error instanceof errors_ts_1.ApiError && error.headers.get('svc-should-retry') === 'false';
        await claimed?.release(isRefused);
        throw error;
    }
};
const sendRepeatedly = async (settings, call, { url, key, options }) => {
    const { log, maxRetries } = settings;
    const { body, contentType } = (0, request_ts_1.bodyOf)(call);
    const headers = {
        accept: 'application/json',
        authorization: `Bearer ${settings.apiKey}`,
        'user-agent': `docex-js/${version_ts_1.sdkVersion}`,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...(0, request_ts_1.headersOf)(options, key),
    };
    const init = { method: call.method, headers, ...(body === undefined ? {} : { body }) };
    const deadline = { signal: options.signal, timeoutMs: options.timeoutMs ?? settings.timeoutMs };
    for (let failures = 0;; failures += 1) {
        const name = `${call.method} ${call.path}`;
        const isLast = failures >= (options.maxRetries ?? maxRetries);
        const started = performance.now();
        const result = await (0, attempt_ts_1.attempt)(settings.fetch, url, init, deadline).catch((error) => {
            if (error instanceof errors_ts_1.ConnectionError)
                return error;
            throw error;
        });
        const ms = Math.round(performance.now() - started);
        const error = result instanceof errors_ts_1.ConnectionError ? result : failureOf(result);
        log('debug', `docex: ${name} ${outcomeOf(result)} in ${ms} ms`);
        if (error === undefined)
            return responseOf(result);
        const delay = error instanceof errors_ts_1.ApiError
            ? (0, retries_ts_1.retryDelayMs)(error.headers, failures)
            : result === error
                ? (0, retries_ts_1.jitterMs)(failures)
                : undefined;
        if (isLast || delay === undefined) {
            log('error', `docex: ${name} failed: ${error.message}`);
            throw error;
        }
        log('warn', `docex: ${name} again in ${Math.round(delay)} ms: ${error.message}`);
        await (0, attempt_ts_1.pause)(delay, options.signal);
    }
};
const outcomeOf = (result) => result instanceof errors_ts_1.ConnectionError
    ? result.name
    : `${result.status} ${result.headers.get('request-id') ?? ''}`.trimEnd();
const failureOf = (response) => {
    const { status, headers, bytes } = response;
    const isJson = headers.get('content-type')?.startsWith('application/json') === true;
    if (status < 400 && isJson)
        return undefined;
    try {
        const envelope = JSON.parse(new TextDecoder().decode(bytes));
        if (typeof envelope.error.code === 'string')
            return new errors_ts_1.ApiError(status, envelope, headers);
    }
    catch {
    }
    return new errors_ts_1.ConnectionError(`Not an answer of the service (${status}): check baseUrl, and what stands in front of it.`);
};
const responseOf = ({ status, headers, bytes }) => ({
    data: bytes,
    status,
    requestId: headers.get('request-id') ?? '',
    headers,
    replayed: headers.get('idempotent-replay') === 'true',
});
