/** The benchmark's own connection: seeding takes longer than a statement of the service may. */
import { Connection } from '../src/database/sql.ts'
import { benchSeals } from './seal-rows.ts'

export const openBenchConnection = async (url: string): Promise<Connection> =>
  Connection.open(url, 'docex bench', {
    seals: await benchSeals(),
    options: ' -c statement_timeout=0',
    queryTimeoutMs: 0,
  })
