/** The same record as its other side sees it, beside one's own, with the moves of that side. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { callBeside, useReadBeside } from '../api/other-organizations.ts'
import { type ApiError, freshKey } from '../api/call.ts'
import type { DocumentRecord } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Money, wordsOf } from '../design/format.tsx'
import { Fact, Panel, Refusal, Region } from '../design/layout.tsx'
import { DocumentStatusMark } from '../design/status.tsx'
import { otherPartyOf, partyOf, titleOf } from './document-names.ts'
import { movesOf } from './moves.ts'

interface OtherSideProps {
  /** Of the region that is shown. */
  id: string
  document: DocumentRecord
}

const OtherSide = ({ id, document }: OtherSideProps) => {
  const { organization_id, name } = otherPartyOf(document)
  const read = useReadBeside<DocumentRecord>(organization_id, `/v1/documents/${document.id}`)
  return (
    <div id={id} data-print="no">
      <Panel title={`Seen by ${name}`}>
        <Region read={read} skeleton="m-4 h-60">
          {(theirs) => (
            <>
              <dl className="px-4 py-2">
                <Fact term="Listed as">{titleOf(theirs)}</Fact>
                <Fact term="State">
                  <DocumentStatusMark {...theirs} />
                </Fact>
                <Fact term="Other side">{partyOf(theirs)}</Fact>
                <Fact term="Total">
                  <Money amount={theirs.total} currency={theirs.currency} />
                </Fact>
                <Fact term="Open balance">
                  <Money amount={theirs.balance_due} currency={theirs.currency} />
                </Fact>
                {Object.entries(theirs.external_refs).map(([ref, value]) => (
                  <Fact key={ref} term={wordsOf(ref)}>
                    {value}
                  </Fact>
                ))}
              </dl>
              <Moves organization={organization_id} document={theirs} name={name} />
            </>
          )}
        </Region>
      </Panel>
    </div>
  )
}

export default OtherSide

interface MovesProps {
  organization: string
  document: DocumentRecord
  name: string
}

/** What ends it asks first: on the page of that side. */
const Moves = ({ organization, document, name }: MovesProps) => {
  const cache = useQueryClient()
  const write = useMutation<DocumentRecord, ApiError, string>({
    mutationFn: (to) =>
      callBeside(organization, 'POST', `/v1/documents/${document.id}/transition`, {
        ifMatch: document.revision,
        idempotencyKey: freshKey(),
        body: { to },
      }),
    onSettled: () => void cache.invalidateQueries(),
  })
  const moves = movesOf(document).filter(
    ({ refusal, isDanger, takesReason }) =>
      refusal === undefined && isDanger !== true && takesReason !== true,
  )
  return (
    <div className="grid gap-2 border-t border-line px-4 py-3">
      {moves.length === 0 && <p className="text-muted">{name} has nothing to do here now.</p>}
      <div className="flex flex-wrap gap-2">
        {moves.map(({ to, verb }) => (
          <Button key={to} isWrite onClick={() => write.isPending || write.mutate(to)}>
            {verb} as {name}
          </Button>
        ))}
      </div>
      {write.error && <Refusal error={write.error} />}
    </div>
  )
}
