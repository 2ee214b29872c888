/** Example calls of the operations on comments, for the coverage test. */
import { type Pair, aDraft } from '../fixtures.ts'
import type { ExampleCall } from '../http/example-calls.ts'
import type { TestService } from '../test-service.ts'

const onComments =
  (body?: unknown) =>
  async (running: TestService, pair: Pair): Promise<ExampleCall> => {
    const path = `/v1/documents/${(await aDraft(running, pair)).id}/comments`
    return { path, forOthers: 'missing', ...(body === undefined ? {} : { body }) }
  }

export const commentExampleCalls = {
  'documents.comments.list': onComments(),
  'documents.comments.create': onComments({ text: 'Call them first.' }),
}
