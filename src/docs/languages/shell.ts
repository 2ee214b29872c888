/** Calls in a shell: with curl, and with the command line `docex`. */
import { curl } from '../examples/curl.ts'
import { type ExampleCall, filledPath, pointerSteps } from './example-call.ts'
import { flagOf, kebabCase } from './names.ts'
import { isVersioned } from '../operation-facts.ts'

export const curlText = (call: ExampleCall): string => {
  const { operation, baseUrl, query, body, credential, idempotencyKey, keeps, isAwaited } = call
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString()
  const search = text.replaceAll('%2C', ',').replaceAll('%24', '$')
  const command = curl({
    method: operation.method,
    url: `${baseUrl}${filledPath(call)}${search === '' ? '' : `?${search}`}`,
    ...(credential === undefined ? {} : { credential }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(operation.takesFile === undefined ? body && { body } : { form: formOf(body ?? {}) }),
    isQuiet: keeps !== undefined,
  })
  return keeps === undefined ? command : keeping(command, keeps, isAwaited)
}

/** The parts of a form as curl takes them. */
const formOf = ({ file, ...fields }: Readonly<Record<string, unknown>>) => ({
  ...(fields as Record<string, string>),
  file: `@${file as string}`,
})

/** Reads parts of the response into variables. */
export const keeping = (
  command: string,
  keeps: Readonly<Record<string, string>>,
  isAwaited = false,
): string => {
  const lines = Object.entries(keeps).map(([variable, pointer]) => {
    const place = pointerSteps(pointer).map((step) =>
      /^\d+$/.test(step) ? `[${step}]` : `.${step}`,
    )
    return `export ${variable}=$(node -p 'JSON.parse(fs.readFileSync(0))${place.join('')}' <<< "$RESPONSE")`
  })
  const call = `RESPONSE=$(${command})`
  return [...(isAwaited ? awaiting(call) : [call]), ...lines].join('\n')
}

/** For ten seconds, until the list has a row. */
const awaiting = (call: string): string[] => [
  'for i in {1..50}; do',
  `  ${call.replaceAll('\n', '\n  ')}`,
  `  [[ $(node -p 'JSON.parse(fs.readFileSync(0)).data.length' <<< "$RESPONSE") == 0 ]] || break`,
  '  sleep 0.2',
  'done',
]

/** Sign-in is no command: it would take a password among its arguments. */
export const commandText = (call: ExampleCall): string => {
  const { operation, path, query, body, keeps, refusal, isAwaited } = call
  if (!isVersioned(operation)) return curlText(call)
  const words = [...operation.id.split('.').map(kebabCase), ...Object.values(path).map(shellWord)]
  const flags = [
    ...Object.entries(query).map(
      ([name, value]) => `--${kebabCase(name)} ${shellWord(flatText(value))}`,
    ),
    ...Object.entries(body ?? {}).map(
      ([name, value]) => `--${flagOf(name)} ${shellWord(flagText(value))}`,
    ),
    ...(call.sharesKey === true ? [`--idempotency-key ${shellWord(call.idempotencyKey!)}`] : []),
    ...(keeps === undefined ? [] : ['--json']),
  ]
  const command = onLines(`${environmentOf(call)}docex ${words.join(' ')}`, flags)
  if (keeps !== undefined) {
    return keeping(refusal ? `${command} 2>&1 || true` : command, keeps, isAwaited)
  }
  return refusal === undefined ? command : `${command} || echo "refused: ${refusal}"`
}

const environmentOf = ({ credential = 'API_KEY' }: ExampleCall): string =>
  credential === 'API_KEY' ? '' : `DOCEX_API_KEY=$${credential} `

const lineMaxLength = 76

const onLines = (command: string, flags: readonly string[]): string => {
  const line = [command, ...flags].join(' ')
  return line.length <= lineMaxLength ? line : [command, ...flags].join(' \\\n  ')
}

/** A parameter of a query: several values are one list. */
const flatText = (value: unknown): string =>
  Array.isArray(value) ? value.join(',') : String(value)

/** A field of a body: a list of texts takes commas, other structures are JSON. */
const flagText = (value: unknown): string => {
  if (typeof value === 'string') return value
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string')
  return isList ? value.join(',') : JSON.stringify(value)
}

/** One argument; within single quotes, variables stand outside of them. */
const shellWord = (text: string): string => {
  if (/^[\w./:@,+$-]+$/.test(text)) return text
  const quoted = `'${text.replaceAll("'", `'\\''`)}'`
  return quoted.replaceAll(/\$[A-Z][A-Z_]*/g, "'$&'").replaceAll("''\\''", "'\\''")
}
