"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.list = exports.ListPromise = exports.Page = void 0;
const api_promise_ts_1 = require("./api-promise.js");
class Page {
    data;
    has_more;
    next_cursor;
    #read;
    constructor({ data, has_more, next_cursor }, read) {
        this.data = data;
        this.has_more = has_more;
        this.next_cursor = next_cursor;
        this.#read = read;
    }
    async next() {
        if (this.next_cursor === null)
            return undefined;
        return new Page(await this.#read(this.next_cursor), this.#read);
    }
}
exports.Page = Page;
class ListPromise extends api_promise_ts_1.ApiPromise {
    constructor(read) {
        const first = async () => {
            const response = await read(undefined).withResponse();
            return { ...response, data: new Page(response.data, read) };
        };
        super(first());
    }
    async *pages() {
        for (let page = await this; page; page = await page.next())
            yield page;
    }
    async *[Symbol.asyncIterator]() {
        for await (const page of this.pages())
            yield* page.data;
    }
    async toArray({ limit = 10_000 } = {}) {
        const rows = [];
        for await (const row of this) {
            if (rows.length >= limit)
                break;
            rows.push(row);
        }
        return rows;
    }
}
exports.ListPromise = ListPromise;
const list = (client, path, query, options) => new ListPromise((cursor) => client.json({ method: 'GET', path, query: cursor === undefined ? query : { ...query, cursor } }, options));
exports.list = list;
