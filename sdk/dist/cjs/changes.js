"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.changes = changes;
const lists_ts_1 = require("./lists.js");
async function* changes(client, path, { since, ...filters } = {}, options) {
    yield* (0, lists_ts_1.list)(client, path, { limit: 100, ...filters, sort: 'updated', updated_since: since }, options);
}
