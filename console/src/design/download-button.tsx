/** Downloads a file of the API with the session of the person, which a plain link could not send. */
import { useState } from 'react'
import { type ApiError, type Query, callForReply } from '../api/call.ts'
import { Button } from './button.tsx'
import { Refusal } from './layout.tsx'

interface DownloadButtonProps {
  path: string
  query?: Query
  /** As it is saved. */
  filename: string
  onDownloaded?: (headers: Headers) => void
  children: string
}

export const DownloadButton = (props: DownloadButtonProps) => {
  const { path, query, filename, onDownloaded, children } = props
  const [error, setError] = useState<ApiError | null>(null)
  const [isLoading, setIsLoading] = useState(false)
  const download = async () => {
    setIsLoading(true)
    try {
      const { bytes, headers } = await callForReply('GET', path, query && { query })
      save(new Blob([bytes], { type: headers.get('content-type') ?? '' }), filename)
      setError(null)
      onDownloaded?.(headers)
    } catch (refusal) {
      setError(refusal as ApiError)
    }
    setIsLoading(false)
  }
  return (
    <>
      <Button
        icon="download"
        disabledReason={isLoading ? 'Downloading' : undefined}
        onClick={() => void download()}
      >
        {children}
      </Button>
      {error && <Refusal error={error} />}
    </>
  )
}

export const save = (content: Blob, filename: string): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = filename
  link.click()
  URL.revokeObjectURL(link.href)
}
