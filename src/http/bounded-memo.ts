/** Few different texts stand for very many calls: what one means is worked out once. */
import { limits } from '../contract/limits.ts'

export const boundedMemo = <V>(work: (text: string) => V): ((text: string) => V) => {
  const known = new Map<string, V>()
  return (text) => {
    let value = known.get(text)
    if (value === undefined) {
      if (known.size >= limits.memoMaxEntries) known.clear()
      known.set(text, (value = work(text)))
    }
    return value
  }
}
