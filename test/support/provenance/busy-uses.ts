/** Uses of a service that has no room for all of them at once. */
import { until } from '../until.ts'
import type { Answer } from './withheld-answers.ts'

type Use = () => Promise<Answer>

/** A refusal that says nothing of a row, only of queues, locks and time. */
const isBusy = ({ status, text }: Answer): boolean =>
  status === 503 && text.includes('"code":"service_unavailable"')

const closed: Answer = { status: 503, text: '{"error":{"code":"service_unavailable"}}' }

/** An idle connection may be closed just as it is used again (RFC 9112, 9.3.1). */
const attemptOf = async (use: Use): Promise<Answer> => {
  try {
    return await use()
  } catch (error) {
    const { code } = (error as { cause?: { code?: string } }).cause ?? {}
    if (code === 'ECONNRESET') return closed
    throw error
  }
}

/**
 * The answers of all uses at once. One that only says that the service is busy is asked for again
 * after all of them, when a queue is full of others only.
 */
export const answersOf = async (
  uses: Readonly<Record<string, Use>>,
): Promise<ReadonlyMap<string, Answer>> => {
  const answers = new Map(
    await Promise.all(
      Object.entries(uses).map(async ([name, use]) => [name, await attemptOf(use)] as const),
    ),
  )
  for (const [name, use] of Object.entries(uses)) {
    await until(`${name} is answered by a service that is free`, async () => {
      if (isBusy(answers.get(name)!)) answers.set(name, await attemptOf(use))
      return !isBusy(answers.get(name)!)
    })
  }
  return answers
}
