/** What one can do instead of what was refused: a page that knows how offers it beside the refusal. */
import { type ReactNode, createContext } from 'react'
import type { ApiError } from '../api/call.ts'

export const OfferedMoves = createContext<(refusal: ApiError) => ReactNode>(() => null)
