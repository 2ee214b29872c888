/** The types of documents in sentences. */

export const typeName = (type: string): string => type.replaceAll('_', ' ')

/** Like `an invoice`. */
export const typeWithArticle = (type: string): string =>
  `${article(type).toLowerCase()} ${typeName(type)}`

export const article = (word: string): string => (/^[aeiou]/.test(word) ? 'An' : 'A')
