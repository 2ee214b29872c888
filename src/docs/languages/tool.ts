/** Calls as a language model makes them: the tool and its arguments. */
import { type ExampleCall, isNumber, mediaTypeOf } from './example-call.ts'
import { toolName } from './names.ts'

export const toolText = (call: ExampleCall): string => {
  const { operation, path, query, body = {}, idempotencyKey } = call
  const ids = Object.entries(path).map(([name, value]) => [
    name,
    isNumber(operation, name) ? Number(value) : value,
  ])
  const values = {
    ...Object.fromEntries(ids),
    ...query,
    ...(operation.takesFile === undefined ? body : fileArguments(body)),
    ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
  }
  return JSON.stringify({ name: toolName(operation.id), arguments: values }, null, 2)
}

/** The beginning of a PDF, or of an XML file. */
const contents: Readonly<Record<string, string>> = {
  'application/pdf': 'JVBERi0xLjcK',
  'application/xml': 'PD94bWwgdmVyc2lvbj0iMS4wIj8+',
}

const fileArguments = ({ file, ...fields }: Readonly<Record<string, unknown>>) => {
  const filename = String(file)
  const content_type = mediaTypeOf(filename)
  return { ...fields, filename, content_type, data_base64: contents[content_type] }
}
