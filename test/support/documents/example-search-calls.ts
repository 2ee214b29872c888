/** Example calls of the operations that span many documents, for the coverage test. */
import { type Pair, anInvoice } from '../fixtures.ts'
import type { ExampleCall } from '../http/example-calls.ts'
import type { TestService } from '../test-service.ts'

const hidden = (path: string, { counterparty }: Pair): ExampleCall => ({
  path,
  forOthers: { hides: [counterparty.name] },
})

export const searchExampleCalls = {
  search: async (running: TestService, pair: Pair): Promise<ExampleCall> =>
    hidden(`/v1/search?q=${(await anInvoice(running, pair)).id}`, pair),
  stream: async (_: TestService, pair: Pair): Promise<ExampleCall> => hidden('/v1/stream', pair),
}
