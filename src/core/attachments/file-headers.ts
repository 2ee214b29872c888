/** Headers of uploaded and downloaded files: media type and Content-Disposition (contract 4). */
import { limits } from '../../contract/limits.ts'

const token = '[A-Za-z0-9!#$&^_.+-]+'
const mediaTypePattern = new RegExp(`^${token}/${token}$`)

/** A media type without parameters, in lower case; undefined for any other text. */
export const mediaTypeOf = (text: string): string | undefined =>
  text.length <= limits.contentTypeMaxLength && mediaTypePattern.test(text)
    ? text.toLowerCase()
    : undefined

/**
 * Content-Disposition (RFC 6266), always `attachment`, so that browsers never render the file.
 * `filename` is the ASCII fallback; clients prefer `filename*` (RFC 8187), which has the full name.
 */
export const contentDisposition = (name: string): string => {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
