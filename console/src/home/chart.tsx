/** A chart is also a sentence, for who does not see it, and a table, for who wants the numbers. */
import { type ReactNode, useState } from 'react'
import { Button } from '../design/button.tsx'

interface ChartProps {
  /** Of the panel that it is in. */
  title: string
  sentence: string
  /** Its marks are links to what they count. */
  children: ReactNode
  table: ReactNode
}

export const Chart = ({ title, sentence, children, table }: ChartProps) => {
  const [isTable, setIsTable] = useState(false)
  const label = isTable ? 'Show as chart' : 'Show as table'
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      {isTable ? (
        // Wider than a narrow screen: the keyboard scrolls it too.
        <div role="group" aria-label={title} tabIndex={0} className="overflow-x-auto">
          {table}
        </div>
      ) : (
        <>
          <span role="img" aria-label={sentence} className="sr-only" />
          {children}
        </>
      )}
      <div data-print="no" className="-mb-2 -ml-3">
        <Button
          kind="quiet"
          aria-label={`${label}: ${title}`}
          onClick={() => setIsTable((wasTable) => !wasTable)}
        >
          {label}
        </Button>
      </div>
    </div>
  )
}

interface ChartTableProps {
  caption: string
  /** The first names the rows; the others stand right. */
  titles: readonly string[]
  rows: readonly (readonly [name: ReactNode, ...cells: ReactNode[]])[]
}

export const ChartTable = ({ caption, titles, rows }: ChartTableProps) => (
  <table className="tabular w-full text-sm">
    <caption className="pb-1 text-left text-muted">{caption}</caption>
    <thead>
      <tr className="border-b border-line text-muted">
        {titles.map((title, i) => (
          <th
            key={title}
            scope="col"
            className={`py-1 pl-3 font-normal first:pl-0 ${i === 0 ? 'text-left' : 'text-right'}`}
          >
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([name, ...cells], i) => (
        <tr key={i} className="border-b border-line last:border-0">
          <th scope="row" className="py-1.5 text-left font-normal">
            {name}
          </th>
          {cells.map((cell, j) => (
            <td key={j} className="py-1.5 pl-3 text-right whitespace-nowrap">
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)
