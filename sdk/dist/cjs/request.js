"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.headersOf = exports.contentOf = exports.bodyOf = exports.urlOf = exports.segment = void 0;
const segment = (value) => {
    const text = String(value);
    if (text === '' || value === undefined || value === null) {
        throw new TypeError('An id in the path is missing: send the id of the record.');
    }
    return encodeURIComponent(text);
};
exports.segment = segment;
const urlOf = (baseUrl, { path, query = {} }) => {
    const parameters = Object.entries(query)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${name}=${encodeURIComponent(printed(value))}`);
    return `${baseUrl}${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
};
exports.urlOf = urlOf;
const printed = (value) => value instanceof Date
    ? value.toISOString()
    : Array.isArray(value)
        ? value.map(printed).join(',')
        : String(value);
const bodyOf = ({ body, file }) => {
    if (file !== undefined) {
        const { filename, content, contentType } = file;
        const form = new FormData();
        const options = contentType === undefined ? {} : { type: contentType };
        const blob = content instanceof Blob && contentType === undefined
            ? content
            : new Blob([content], options);
        form.append('file', blob, filename);
        return { body: form };
    }
    return body === undefined ? {} : { contentType: 'application/json', body: JSON.stringify(body) };
};
exports.bodyOf = bodyOf;
const contentOf = async (url, call) => {
    const { filename, content = '' } = call.file ?? {};
    const text = JSON.stringify([call.method, url, call.body ?? null, filename ?? null]);
    const parts = [`${text}\n`, content];
    return new Uint8Array(await new Blob(parts).arrayBuffer());
};
exports.contentOf = contentOf;
const headersOf = (options, key) => {
    const { dryRun, ifMatch } = options;
    return {
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(dryRun === true ? { 'svc-dry-run': 'true' } : {}),
        ...(ifMatch === undefined ? {} : { 'if-match': etagOf(ifMatch) }),
    };
};
exports.headersOf = headersOf;
const etagOf = (revision) => typeof revision === 'string' && revision.startsWith('"') ? revision : `"${revision}"`;
