/** A guide for each journey: what its file says, with every call in every language. */
import type { Config } from '../../config.ts'
import type { Operation } from '../../operations/operation.ts'
import { type Section, type Tab, code, codeSpan, table, text } from '../blocks.ts'
import { curl } from '../examples/curl.ts'
import {
  type CallingStep,
  type Criterion,
  type Step,
  callingSteps,
  inputsOf,
  journeyOf,
} from '../journeys/arazzo.ts'
import { type ExampleCall, pointerSteps } from '../languages/example-call.ts'
import { kebabCase, snakeCase } from '../languages/names.ts'
import { pythonStart, pythonStep } from '../languages/python.ts'
import { commandText, curlText, keeping } from '../languages/shell.ts'
import { toolTab } from '../languages/tabs.ts'
import { toolText } from '../languages/tool.ts'
import { typescriptStart, typescriptStep } from '../languages/typescript.ts'
import { type JourneyFile, journeyFiles, receiverUrl } from './journeys.ts'
import { isVersioned } from '../operation-facts.ts'
import { offlineVerification } from './provenance.ts'

export const guides = (operations: readonly Operation[], config: Config): Section[] =>
  journeyFiles.map((file) => guideOf(file, operations, config))

const guideOf = (
  { name, guide, path, title, summary }: JourneyFile,
  operations: readonly Operation[],
  { baseUrl }: Config,
): Section => {
  const journey = journeyOf(name)
  const inputs = inputsOf(journey)
  const steps = callingSteps(journey, operations, baseUrl)
  const calls = steps.flatMap(({ call }) => call ?? [])
  const environment = new Set(inputs.keys())
  const more = [...inputs].flatMap(([variable, description]) => {
    const value = ownInputs(baseUrl)[variable]
    if (value === undefined) return []
    const set = code('sh', `export ${variable}=${value}`)
    return [text(description), ...(variable === 'RECEIVER_URL' ? receiver : []), set]
  })
  return {
    id: guide,
    title,
    blocks: [
      text(summary),
      text(
        `First [set up your shell](#setup): it sets the variables. This guide is made from [a file](${baseUrl}${path}) that programs [can run](#journeys).`,
      ),
      ...more,
    ],
    sections: [
      ...steps.map((one, i) => {
        const isFirst = i === 0
        const start = {
          typescript: typescriptStart(calls, environment),
          python: pythonStart(calls, environment),
        }
        const tabs =
          one.call === undefined
            ? toolTabs(one)
            : callTabs(one.call, environment, isFirst ? start : undefined)
        return stepSection(one, { guide, number: i + 1, tabs, steps })
      }),
      ...(guide === 'guide-verify-a-proof' ? [offlineVerification(baseUrl, steps.length + 1)] : []),
    ],
  }
}

/** For readers who have no program yet that receives webhooks. */
const receiver = [
  text(
    'If you have none yet, save this as `receiver.mjs` and run `node receiver.mjs` in another shell. It prints what it receives, and accepts it.',
  ),
  code(
    'js',
    `import { createServer } from 'node:http'

createServer((request, response) => {
  request.on('end', () => response.end()).pipe(process.stdout)
}).listen(${new URL(receiverUrl).port}, '127.0.0.1')`,
  ),
  text('The examples in every language read its address from `RECEIVER_URL`:'),
]

/** Inputs that the front page does not set. */
const ownInputs = (baseUrl: string): Readonly<Record<string, string>> => ({
  RECEIVER_URL: receiverUrl,
  MCP_URL: `${baseUrl}/mcp`,
})

const callTabs = (
  call: ExampleCall,
  environment: ReadonlySet<string>,
  start?: { typescript: string; python: string },
): Tab[] => {
  const after = (beginning: string | undefined, content: string) =>
    beginning === undefined ? content : `${beginning}\n${content}`
  const isTool = isVersioned(call.operation)
  return [
    { label: 'curl', language: 'sh', text: curlText(call) },
    {
      label: 'TypeScript',
      language: 'ts',
      text: after(start?.typescript, typescriptStep(call, environment)),
    },
    {
      label: 'Python',
      language: 'python',
      text: after(start?.python, pythonStep(call, environment)),
    },
    { label: 'CLI', language: 'sh', text: commandText(call) },
    ...(isTool ? [{ label: toolTab, language: 'json', text: toolText(call) } as const] : []),
  ]
}

/** A call of the MCP server itself. */
const toolTabs = ({ parameters, payload, keeps }: CallingStep): Tab[] => {
  const headers = parameters.filter((one) => one.in === 'header' && one.name !== 'Authorization')
  const command = curl({
    method: 'POST',
    url: '$MCP_URL',
    credential: 'API_KEY',
    body: payload,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, String(value)])),
    isQuiet: keeps !== undefined,
  })
  const { method, params } = payload as { method: string; params: { _meta: object } }
  const { _meta, ...call } = params
  const shown = method === 'tools/call' ? call : { method }
  return [
    { label: toolTab, language: 'json', text: JSON.stringify(shown, null, 2) },
    {
      label: 'curl',
      language: 'sh',
      text: keeps === undefined ? command : keeping(command, keeps),
    },
  ]
}

interface Place {
  guide: string
  number: number
  tabs: Tab[]
  steps: readonly CallingStep[]
}

const stepSection = (
  { step, call }: CallingStep,
  { guide, number, tabs, steps }: Place,
): Section => {
  const { stepId, description, successCriteria, onFailure } = step
  const [status, ...criteria] = successCriteria
  const rows = criteria.map((one) => criterionRow(one, steps))
  const { method, path } = call?.operation ?? { method: 'POST', path: '/mcp' }
  return {
    id: `${guide}-${kebabCase(snakeCase(stepId))}`,
    title: `${number}. ${titleOf(step)}`,
    blocks: [
      text(description),
      { kind: 'call', method, path },
      { kind: 'tabs', tabs },
      ...(call === undefined || !isVersioned(call.operation)
        ? []
        : [text(`See [\`${call.operation.id}\`](#${call.operation.id}).`)]),
      text(
        `**Response ${/\d+$/.exec(status?.condition ?? '')?.[0]}**${onFailure === undefined ? '' : ', once it is so; until then, repeat the call'}`,
      ),
      ...(rows.length === 0 ? [] : [table(['Field', 'Value'], rows)]),
    ],
  }
}

/** `createADraft` → `Create a draft` */
const titleOf = ({ stepId }: Step): string => {
  const words = snakeCase(stepId).replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What a criterion says of the response: a field and its value. */
const criterionRow = (
  { condition, context }: Criterion,
  steps: readonly CallingStep[],
): string[] => {
  if (context !== undefined) return [placeOf(context), `matches ${codeSpan(condition)}`]
  const [, place = '', operator = '', value = ''] = /^(\S+) (\S+) (.*)$/.exec(condition) ?? []
  const sign = operator === '==' ? '' : `${codeSpan(operator)} `
  return [placeOf(place), `${sign}${valueText(value, steps)}`]
}

const placeOf = (expression: string): string => {
  const [, header] = /^\$response\.header\.(.+)$/.exec(expression) ?? []
  if (header !== undefined) return `header ${codeSpan(header)}`
  const steps = pointerSteps(expression)
  return codeSpan(
    steps.map((one, i) => (/^\d+$/.test(one) ? `[${one}]` : (i > 0 ? '.' : '') + one)).join(''),
  )
}

const valueText = (value: string, steps: readonly CallingStep[]): string => {
  const [, stepId, output] = /^\$steps\.(\w+)\.outputs\.(\w+)$/.exec(value) ?? []
  if (stepId === undefined || output === undefined) return codeSpan(value.replaceAll("'", '"'))
  const at = steps.findIndex(({ step }) => step.stepId === stepId)
  const expression = steps[at]?.step.outputs?.[output] ?? ''
  return `${placeOf(expression)} of step ${at + 1}`
}
