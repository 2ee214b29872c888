/** A text of the caller's for a message, shortened so that no response echoes half a body. */
import { limits } from '../contract/limits.ts'

export const shortenedText = (
  text: string,
  maxLength: number = limits.echoedNameMaxLength,
): string => (text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text)
