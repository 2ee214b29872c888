/** Words in a sentence: `a, b or c`. */
const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' })
const enumeration = new Intl.ListFormat('en-GB', { type: 'conjunction' })

export const joinedByOr = (words: readonly string[]): string => alternatives.format(words)

export const joinedByAnd = (words: readonly string[]): string => enumeration.format(words)
