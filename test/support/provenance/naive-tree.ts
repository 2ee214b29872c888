/** Trees and proofs by the recursive definitions of RFC 6962, given the hashes of the leaves. */
import { hash } from 'node:crypto'

/** MTH of RFC 6962 2.1. */
export const naiveRoot = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return hash('sha256', '', 'buffer')
  if (leaves.length === 1) return leaves[0]!
  const split = splitOf(leaves.length)
  const sides = [naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split))] as const
  return hash('sha256', Buffer.concat([Buffer.from([1]), ...sides]), 'buffer')
}

const splitOf = (size: number): number => {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** PATH of RFC 6962 2.1.1. */
export const naivePath = (index: number, leaves: readonly Buffer[]): Buffer[] => {
  if (leaves.length === 1) return []
  const split = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return index < split
    ? [...naivePath(index, left), naiveRoot(right)]
    : [...naivePath(index - split, right), naiveRoot(left)]
}

/** PROOF of RFC 6962 2.1.2. */
export const naiveConsistency = (from: number, leaves: readonly Buffer[]): Buffer[] => {
  const subproof = (older: number, newer: readonly Buffer[], isWhole: boolean): Buffer[] => {
    if (older === newer.length) return isWhole ? [] : [naiveRoot(newer)]
    const split = splitOf(newer.length)
    const [left, right] = [newer.slice(0, split), newer.slice(split)]
    return older <= split
      ? [...subproof(older, left, isWhole), naiveRoot(right)]
      : [...subproof(older - split, right, false), naiveRoot(left)]
  }
  return from === 0 ? [] : subproof(from, leaves, true)
}
