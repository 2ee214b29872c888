/** Preloaded (`--import`): takes the check of one table's seals out of the service. */
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'

const table = process.env['WITHOUT_CHECK']!
const check =
  '  const holds = (table: SealedTable, printed: readonly string[], seal: Buffer): boolean => {\n'

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.endsWith('/src/database/row-seals.ts')) return loaded
    const source = Buffer.from(loaded.source as Uint8Array).toString()
    assert(source.includes(check), 'row-seals.ts has the check of a seal')
    const without = source.replace(check, `${check}    if (table === '${table}') return true\n`)
    return { ...loaded, source: without }
  },
})
