import { list } from './lists.js';
export async function* changes(client, path, { since, ...filters } = {}, options) {
    yield* list(client, path, { limit: 100, ...filters, sort: 'updated', updated_since: since }, options);
}
