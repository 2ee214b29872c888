/** Media types of uploaded files (contract 4). */
import { limits } from '../../contract/limits.ts'

const token = '[A-Za-z0-9!#$&^_.+-]+'
const mediaTypePattern = new RegExp(`^${token}/${token}$`)

/** A media type without parameters, in lower case; undefined for any other text. */
export const mediaTypeOf = (text: string): string | undefined =>
  text.length <= limits.contentTypeMaxLength && mediaTypePattern.test(text)
    ? text.toLowerCase()
    : undefined
