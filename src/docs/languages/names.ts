/** How the names of operations, fields and variables are spelled in each language. */
const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export const camelCase = (text: string): string =>
  text
    .split(/[._]/)
    .map((word, i) => (i === 0 ? word : upper(word)))
    .join('')

export const pascalCase = (text: string): string => upper(camelCase(text))

export const kebabCase = (name: string): string => name.replaceAll('_', '-')

/** `createADraft` → `create_a_draft` */
export const snakeCase = (name: string): string =>
  name.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase()

const pythonKeywords: readonly string[] = [
  'and',
  'as',
  'class',
  'def',
  'del',
  'from',
  'import',
  'in',
  'is',
  'not',
  'or',
  'pass',
  'return',
]

/** Words that Python keeps for itself get an underscore, as its style guide says. */
export const pythonName = (name: string): string =>
  pythonKeywords.includes(name) ? `${name}_` : name

const otherFlags: Readonly<Record<string, string>> = { profile: 'organization-profile' }

/** The flag of a field; `--profile` already means something else. */
export const flagOf = (field: string): string => otherFlags[field] ?? kebabCase(field)

/** The tool of an operation: `documents_create`. */
export const toolName = (id: string): string => id.replaceAll('.', '_')
