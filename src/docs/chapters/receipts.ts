/** What clients keep as witnesses of the history. */
import { exampleReceipt } from '../examples/ids.ts'
import { type Section, code, list, text } from '../blocks.ts'

export const receipts: Section = {
  id: 'receipts',
  title: 'Receipts',
  blocks: [
    text(
      'The response of a write that extends the history of a document has a header with its newest event, `<stream> <seq> <event hash>`. A replay has the same header; a dry run and a refusal have none. Keep these lines: whoever has them is a witness of what the service has acknowledged.',
    ),
    code('http', `Svc-Event: ${exampleReceipt}`),
    list(
      'A write that changes several documents names the one that it answers with: issuing a credit note names the credit note, not the invoice; [converting](#documents.convert) a document names the new draft.',
      'A write that finds nothing left to do, such as paying a second time, names the newest event that there is.',
      'The events of a [reset](#sandbox.reset), of a new sandbox and of a [clock that moves](#sandbox.clock.advance) belong to many documents, so their responses name none.',
    ),
  ],
}
