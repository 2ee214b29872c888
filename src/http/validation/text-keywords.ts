/**
 * The keywords of JSON Schema for texts, at a cost that depends on the schema and not on the text:
 * Ajv's own count and search all of it, also when it is far too long.
 */
import type { FuncKeywordDefinition } from 'ajv'

/** Whether the text has more characters (code points, as JSON Schema counts) than the bound. */
const isLonger = (text: string, bound: number): boolean => {
  if (text.length <= bound) return false
  // A character takes at most two code units.
  return text.length > bound * 2 || [...text].length > bound
}

const textKeyword = {
  type: 'string',
  errors: false,
  /** A text that is too long is called so, whatever else is wrong with it. */
  before: 'format',
} as const

export const textKeywords: readonly (FuncKeywordDefinition & { keyword: string })[] = [
  {
    ...textKeyword,
    keyword: 'maxLength',
    schemaType: 'number',
    compile: (maximum: number) => (text: string) => !isLonger(text, maximum),
  },
  {
    ...textKeyword,
    keyword: 'minLength',
    schemaType: 'number',
    compile: (minimum: number) => (text: string) => isLonger(text, minimum - 1),
  },
  {
    ...textKeyword,
    keyword: 'pattern',
    schemaType: 'string',
    compile: (pattern: string, schema) => {
      const { maxLength = Infinity } = schema as { maxLength?: number }
      const expression = new RegExp(pattern, 'u')
      // What is too long is refused by maxLength.
      return (text: string) => text.length > maxLength * 2 || expression.test(text)
    },
  },
]
