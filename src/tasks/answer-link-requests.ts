/** Makes the sign-in links that people have asked for, and sends or prints them. */
import { type MadeLink, answerLinkRequest } from '../changes/identity/link-requests.ts'
import { limits } from '../contract/limits.ts'
import type { Context } from '../context.ts'
import { sentPart } from '../core/identity/sign-in-links.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import { setAnswered, takeLinkRequest } from '../store/identity/link-requests.ts'
import type { Task } from './runner.ts'

export const answerLinkRequests: Task = {
  name: 'answer-link-requests',
  everyMs: limits.linkRequestsEveryMs,
  run: async (context) => {
    const { magicLink, baseUrl } = context.config
    if (magicLink === null) return false
    const answered = await answerNext(context)
    if (answered === undefined) return false
    const { made } = answered
    if (made !== null && magicLink === 'console') {
      context.print(linkText(made, baseUrl))
    }
    return true
  },
}

/** Not for the service log, which redacts every token. */
const linkText = ({ email, link, expires_at }: MadeLink, baseUrl: string): string =>
  `  Sign-in link of ${email}, until ${expires_at}:

    ${baseUrl}/app/link#t=${sentPart(link)}
`

/** Undefined when no request waits. */
const answerNext = async (context: Context): Promise<{ made: MadeLink | null } | undefined> => {
  const { config, database, keyring } = context
  const keys = config.magicLink === 'smtp' ? keyring.notices : undefined
  let taken: string | undefined
  try {
    return await database.transaction(async (tx) => {
      const request = await takeLinkRequest(tx)
      taken = request?.id
      return request && { made: await answerLinkRequest(tx, request, keys) }
    })
  } catch (error) {
    if (!(error instanceof BrokenSeal) || taken === undefined) throw error
    await context.refuseBrokenSeal(error)
    // A user whose row cannot be believed keeps nobody else waiting.
    await setAnswered(database.background, taken)
    return { made: null }
  }
}
