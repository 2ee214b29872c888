/** Calls of the signed-in person for another of its organizations, beside the session. */
import { useQuery } from '@tanstack/react-query'
import { ApiError, type CallOptions, call } from './call.ts'
import { readKey } from './reads.ts'
import { tokenBeside } from './session.ts'

const tokens = new Map<string, Promise<string>>()

/** One token for all calls, and a new one when it has ended. */
export const callBeside = async <Body>(
  organization: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Body> => {
  const attempt = async (token: Promise<string>) =>
    call<Body>(method, path, { ...options, token: await token })
  const held = tokens.get(organization) ?? nextTokenOf(organization)
  try {
    return await attempt(held)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const current = tokens.get(organization)
    // Another call may have taken the next one already.
    const isTaken = current !== undefined && current !== held
    return attempt(isTaken ? current : nextTokenOf(organization))
  }
}

const nextTokenOf = (organization: string): Promise<string> => {
  const token = tokenBeside(organization).then(tokenIn)
  tokens.set(organization, token)
  // The next call asks again.
  token.catch(() => tokens.get(organization) === token && tokens.delete(organization))
  return token
}

const tokenIn = async (response: Response | null): Promise<string> => {
  if (response === null) throw new ApiError(0, undefined)
  const body = await response.json()
  if (!response.ok) throw new ApiError(response.status, body.error)
  return body.token
}

/** Read again with all else, whenever something changes. */
export const useReadBeside = <Body>(organization: string, path: string) =>
  useQuery<Body, ApiError>({
    queryKey: [...readKey(organization, path), 'beside'],
    queryFn: () => callBeside<Body>(organization, 'GET', path),
  })
