/** Uses of a service that has no room for all of them at once. */
import type { Answer } from './withheld-answers.ts'

const repetitionsMax = 20

const isBusy = ({ status, text }: Answer): boolean =>
  status === 503 && text.includes('Too many requests of this kind are waiting')

/**
 * The first answer that is about the use and not about the queue: that one says nothing of a row.
 * Whoever calls it has waited for the other uses, so that a queue is full of others only.
 */
export const repeatedWhileBusy = async (
  use: () => Promise<Answer>,
  first: Answer,
): Promise<Answer> => {
  let answer = first
  for (let left = repetitionsMax; left > 0 && isBusy(answer); left -= 1) answer = await use()
  return answer
}
