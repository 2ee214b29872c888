/** Writes: one Idempotency-Key for one intention, kept until it succeeds. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, type CallOptions, callForReply, freshKey } from './call.ts'

export interface Write extends Pick<CallOptions, 'body' | 'ifMatch' | 'dryRun'> {
  method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
}

export interface Written<Body> {
  body: Body
  /** The same request had succeeded before. */
  isReplay: boolean
}

/**
 * The key is made when the form opens, so that a double click, and a retry after a lost response,
 * is one request. Only a success ends the intention.
 */
export const useWrite = <Body>(onSuccess?: (written: Written<Body>) => void) => {
  const cache = useQueryClient()
  const [idempotencyKey, setIdempotencyKey] = useState(freshKey)
  return useMutation<Written<Body>, ApiError, Write>({
    mutationFn: async ({ method = 'POST', path, ...options }) => {
      const { body, headers } = await callForReply<Body>(method, path, {
        ...options,
        idempotencyKey,
      })
      return { body, isReplay: headers.get('idempotent-replay') === 'true' }
    },
    onSuccess: (written, { dryRun }) => {
      if (dryRun !== true) {
        setIdempotencyKey(freshKey())
        void cache.invalidateQueries()
      }
      onSuccess?.(written)
    },
  })
}
