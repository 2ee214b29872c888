/** The JSON behind the page. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer, useState } from 'react'
import { type PageRead, pageReads } from '../api/page-reads.ts'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/layout.tsx'
import { copyText } from '../design/copy-text.ts'
import { SelectField } from '../design/select-field.tsx'
import { JsonText } from './json-text.tsx'

/** What every page has, and the tools here. */
const others =
  /^\/(auth\/session|v1\/(enablement|preferences|openapi\.json|keys\?limit=100|requests\/))/

const usePageReads = (): PageRead[] => {
  const cache = useQueryClient()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => cache.getQueryCache().subscribe(redraw), [cache])
  const reads = pageReads(cache).filter(({ data }) => data !== undefined)
  const own = reads.filter(({ url }) => !others.test(url))
  // The same read may be cached twice, as the first page of a list and alone.
  const urls = new Set<string>()
  return own.filter(({ url }) => !urls.has(url) && urls.add(url))
}

const Inspector = () => {
  const reads = usePageReads()
  const [chosen, setChosen] = useState('')
  const shown = reads.find(({ url }) => url === chosen) ?? reads.find(isOfAddress) ?? reads[0]
  if (shown === undefined)
    return (
      <Empty title="Nothing was read" isSmall>
        This page shows nothing of the API.
      </Empty>
    )
  const text = JSON.stringify(shown.data, null, 2)
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label="What this page read"
          className="max-w-full min-w-0 flex-1 basis-60"
          options={reads.map(({ url }) => [url, url] as const)}
          value={shown.url}
          onChange={({ target }) => setChosen(target.value)}
        />
        <Button icon="copy" onClick={() => void copyText(text)}>
          Copy
        </Button>
      </div>
      <JsonText label={`Answer to GET ${shown.url}`} text={text} />
    </div>
  )
}

export default Inspector

/** The record that the address names. */
const isOfAddress = ({ url }: PageRead): boolean => {
  const id = location.pathname.split('/').find((part, i) => i > 3 && /_[0-9a-z]{26}$/.test(part))
  return id !== undefined && url.endsWith(`/${id}`)
}
