/** What a form holds beside its file: each part is required and has the pattern of its schema. */
import type { Problem } from '../../contract/problem.ts'
import type { Operation } from '../../operations/operation.ts'

export interface FormShape {
  maxBytes: number
  /** The pattern of each part; undefined admits any text. */
  fields: Readonly<Record<string, RegExp | undefined>>
}

interface FieldSchema {
  pattern?: string
}

export const formOf = (
  { maxBytes }: NonNullable<Operation['takesFile']>,
  body: Operation['body'],
): FormShape => {
  const { properties = {} } = body as { properties?: Record<string, FieldSchema> }
  const fields = Object.entries(properties).filter(([name]) => name !== 'file')
  return {
    maxBytes,
    fields: Object.fromEntries(
      fields.map(([name, { pattern }]) => [
        name,
        pattern === undefined ? undefined : new RegExp(pattern, 'u'),
      ]),
    ),
  }
}

/** The parts that are missing, and those that are not what their schema asks for. */
export const fieldProblems = (
  { fields }: Pick<FormShape, 'fields'>,
  received: Readonly<Record<string, string>>,
): Problem[] =>
  Object.entries(fields).flatMap(([name, pattern]) => {
    const value = Object.hasOwn(received, name) ? received[name]! : undefined
    if (value === undefined) return [fieldMissing(name)]
    return pattern?.test(value) === false ? [fieldMalformed(name, pattern)] : []
  })

const fieldMissing = (name: string): Problem => ({
  param: `/${name}`,
  code: 'required',
  message: 'The form needs this part.',
  fix: `send it beside the file: curl -F ${name}=… -F file=@invoice.xml`,
})

const fieldMalformed = (name: string, { source }: RegExp): Problem => ({
  param: `/${name}`,
  code: 'invalid_value',
  message: 'This part has another form.',
  fix: `send a text that matches ${source}`,
})
