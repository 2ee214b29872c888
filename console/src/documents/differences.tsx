/** Where two versions of a draft differ, one below the other. */
import { Table } from '../design/table.tsx'
import type { Difference } from './draft-differences.ts'

const shownMost = 20

const Differences = ({ differences }: { differences: readonly Difference[] }) => (
  <>
    <Table
      caption="Where the two versions differ"
      isBeside
      columns={columns}
      rows={differences.slice(0, shownMost)}
      rowKey={({ label }) => label}
    />
    {differences.length > shownMost && (
      <p className="px-4 pt-2 text-sm text-muted">
        {differences.length - shownMost} further differences are not shown.
      </p>
    )}
  </>
)

export default Differences

const columns = [
  { title: 'Field', cell: ({ label }: Difference) => label },
  { title: 'Theirs', className: 'wrap-anywhere', cell: ({ theirs }: Difference) => theirs || '–' },
  { title: 'Yours', className: 'wrap-anywhere', cell: ({ yours }: Difference) => yours || '–' },
]
