/** A service behind a server that loses, delays and refuses calls, and clients of an issuer. */
import { sql } from '../../../src/database/sql.ts'
import { aPair, exampleLine } from '../../../test/support/fixtures.ts'
import { startTestService } from '../../../test/support/test-service.ts'
import { type ClientOptions, Docex } from '../../src/index.ts'
import { type Fault, startFaultServer } from './fault-server.ts'

export const startFaultyService = async (defaults: ClientOptions = {}) => {
  const running = await startTestService()
  const faulty = await startFaultServer(running.baseUrl)
  const pair = await aPair(running)
  return {
    running,
    faulty,
    pair,
    client: (options: ClientOptions = {}) =>
      new Docex({ apiKey: pair.issuer.key, baseUrl: faulty.baseUrl, ...defaults, ...options }),
    /** What happens to the next calls, in turn. */
    play: (...faults: Fault[]): void => {
      faulty.script.splice(0, faulty.script.length, ...faults)
      faulty.requests.length = 0
    },
    body: {
      connection_id: pair.connection,
      document_type: 'invoice',
      line_items: [exampleLine],
    } as const,
    /** How many documents have this text in their notes, in the database itself. */
    documentsWith: async (notes: string): Promise<number> => {
      const row = await running.database.row<{ count: number }>(sql`
        select count(*)::int as count from documents where content like ${`%${notes}%`}`)
      return row!.count
    },
  }
}
