/** The generated modules of the SDK for Python, by their path in sdk-python/docex. */
import { version } from '../../src/contract/version.ts'
import { pascalCase, pythonName } from '../../src/docs/languages/names.ts'
import type { JsonSchema } from '../../src/docs/openapi/json-schema.ts'
import type { OpenApi } from '../../src/docs/openapi/openapi-types.ts'
import type { Parameter } from '../../src/docs/openapi/parameters.ts'
import { methodDescription, usualErrors, usualErrorsOfWrites } from '../sdk/comments.ts'
import { type SdkOperation, sdkOperations } from '../sdk/names.ts'

const header = '# Generated from the operations by `npm run generate`: do not edit.\n'

export const pythonFiles = (document: OpenApi): Readonly<Record<string, string>> => ({
  '_resources.py': header + resourcesModule(sdkOperations(document)),
  '_version.py': `${header}VERSION = "${version}"\n`,
})

/** `documents.create`: the resource and the method of an operation, or of a resource below. */
export const pythonMethodOf = ({ id }: SdkOperation): string =>
  id.split('.').map(pythonName).join('.')

const className = (resource: string): string => `_${pascalCase(resource)}`

const resourceOf = ({ id }: SdkOperation): string => id.split('.').slice(0, -1).join('.')

const verbOf = ({ id }: SdkOperation): string => pythonName(id.split('.').at(-1)!)

const resourcesModule = (operations: readonly SdkOperation[]): string => {
  const names = new Set<string>()
  for (const operation of operations) {
    const parts = resourceOf(operation).split('.')
    for (const i of parts.keys()) names.add(parts.slice(0, i + 1).join('.'))
  }
  // The client itself has the operations whose id is one word, such as `search`.
  names.delete('')
  const resources = [...names]
  const childrenOf = (parent: string) =>
    resources.filter((one) => one.split('.').slice(0, -1).join('.') === parent)
  // A class comes before the one that makes it.
  const deepestFirst = resources.toSorted((a, b) => b.split('.').length - a.split('.').length)
  const operationsOf = (resource: string) =>
    operations.filter((operation) => resourceOf(operation) === resource)
  const classes = deepestFirst.map((resource) =>
    classText(resource, childrenOf(resource), operationsOf(resource)),
  )
  return `${imports}\n${classes.join('\n')}\n${docexText(childrenOf(''), operationsOf(''))}`
}

const imports = `from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Unpack

from ._client import Client, Content, Record
from ._follow import follow
from ._keys import KeyStore
from ._lists import Rows, changes
from ._proof import Proof, proof
from ._receipts import Receipts
from ._request import Call, ChangeOptions, File, ReadOptions, WriteOptions, segment
from ._stream import follow_stream

`

const childTexts = (children: readonly string[]): string =>
  children
    .map((child) => `        self.${child.split('.').at(-1)} = ${className(child)}(client)\n`)
    .join('')

const classText = (
  resource: string,
  children: readonly string[],
  operations: readonly SdkOperation[],
): string => {
  const methods = operations.flatMap((operation) =>
    hasChanges(operation)
      ? [methodText(operation), changesText(operation)]
      : [methodText(operation)],
  )
  if (resource === 'events') methods.push(followText)
  return `class ${className(resource)}:
    def __init__(self, client: Client) -> None:
        self._client = client
${childTexts(children)}${methods.map((one) => `\n${one}`).join('')}\n`
}

const docexText = (
  children: readonly string[],
  operations: readonly SdkOperation[],
): string => `class Docex:
    """Every operation of the service, by resource.

    A method names the errors that are its own; every call can also fail with
    ${usualErrors.join(', ')};
    every write with ${usualErrorsOfWrites.join(', ')}.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        max_retries: int = 2,
        timeout: float = 30.0,
        key_store: KeyStore | None = None,
        receipts: Receipts | None = None,
    ) -> None:
        client = Client(
            api_key,
            base_url,
            max_retries=max_retries,
            timeout=timeout,
            key_store=key_store,
            receipts=receipts,
        )
        self._client = client
${childTexts(children)}${operations.map((one) => `\n${methodText(one)}`).join('')}`

const hasChanges = ({ query }: SdkOperation): boolean => query.some(({ name }) => name === 'sort')

const typeOf = (schema: JsonSchema): string => {
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {})
    return `${item} | Sequence[${item}]`
  }
  if (/"date(-time)?"/.test(JSON.stringify(schema))) return 'str | date'
  if (schema.type === 'integer') return 'int'
  if (schema.type === 'number') return 'float'
  return schema.type === 'boolean' ? 'bool' : 'str'
}

/** The client pages by itself, and with `fields` a row would be another. */
const filtersOf = ({ query }: SdkOperation, except: readonly string[] = []): readonly Parameter[] =>
  query.filter(({ name }) => !['cursor', 'fields', ...except].includes(name))

const filterParameter = ({ name, schema, required }: Parameter): string =>
  `${pythonName(name)}: ${typeOf(schema)}${required ? '' : ' | None = None'}`

const queryText = (filters: readonly Parameter[]): string =>
  `{${filters.map(({ name }) => `"${name}": ${pythonName(name)}`).join(', ')}}`

const docString = (lines: readonly string[]): string => {
  const text = lines.map((line) => (line === '' ? '' : `        ${line}`)).join('\n')
  return `        """${text.trimStart()}\n        """\n`
}

const definition = (name: string, parameters: readonly string[], returns: string): string =>
  `    def ${name}(\n        self,\n${parameters.map((one) => `        ${one},\n`).join('')}    ) -> ${returns}:\n`

const methodText = (operation: SdkOperation): string => {
  const { method, pathParameters, body, row, takesIfMatch, isLive, isProof } = operation
  if (isLive) return liveText(operation)
  const path = pathParameters.map(
    ({ name, schema }) => `${pythonName(name)}: ${schema.type === 'integer' ? 'int' : 'str'}`,
  )
  const bodies =
    body === undefined
      ? []
      : body.kind === 'file'
        ? ['file: File']
        : [body.required ? 'body: Mapping[str, Any]' : 'body: Mapping[str, Any] | None = None']
  const filters = filtersOf(operation)
  const keywordsOnly = filters.length === 0 ? [] : ['*', ...filters.map(filterParameter)]
  const kind = method === 'GET' ? 'ReadOptions' : takesIfMatch ? 'ChangeOptions' : 'WriteOptions'
  const parameters = [...path, ...bodies, ...keywordsOnly, `**options: Unpack[${kind}]`]
  const returns = isProof ? 'Proof' : row === undefined ? contentOf(operation).type : 'Rows'
  return (
    definition(verbOf(operation), parameters, returns) +
    docString(methodDescription(operation)) +
    callText(operation)
  )
}

const liveText = (operation: SdkOperation): string =>
  definition(verbOf(operation), ['last_event_id: str | None = None'], 'Iterator[Record]') +
  docString(methodDescription(operation)) +
  `        return follow_stream(self._client, ${pathText(operation)}, last_event_id)\n`

/** What a method returns, and the method of the client that makes it. */
const contentOf = ({ mediaTypes }: SdkOperation): { type: string; reader: string } => {
  if (!mediaTypes.includes('application/json')) return { type: 'str', reader: 'text' }
  return mediaTypes.length > 1
    ? { type: 'Content', reader: 'content' }
    : { type: 'Record', reader: 'json' }
}

const callText = (operation: SdkOperation): string => {
  const { method, body, row, isProof } = operation
  const path = pathText(operation)
  if (isProof) return `        return proof(self._client, ${path}, options)\n`
  const filters = filtersOf(operation)
  if (row !== undefined) {
    return `        return Rows(self._client, ${path}, ${queryText(filters)}, options)\n`
  }
  const parts = [
    `"${method}"`,
    path,
    ...(filters.length === 0 ? [] : [`query=${queryText(filters)}`]),
    ...(body === undefined ? [] : [body.kind === 'file' ? 'file=file' : 'body=body']),
  ]
  return `        return self._client.${contentOf(operation).reader}(Call(${parts.join(', ')}), options)\n`
}

const pathText = ({ path, pathParameters }: SdkOperation): string => {
  if (pathParameters.length === 0) return `"${path}"`
  return `f"${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{segment(${pythonName(name)})}`)}"`
}

const changesText = (operation: SdkOperation): string => {
  const filters = filtersOf(operation, ['sort', 'updated_since', 'since'])
  const parameters = [
    'since: str | date | None = None',
    '*',
    ...filters.map(filterParameter),
    '**options: Unpack[ReadOptions]',
  ]
  const comment = [
    'Everything that has changed since then, oldest change first.',
    '',
    'Once per change seen, and once each when nothing changes meanwhile. Start the next sweep with',
    'the newest `updated_at` of this one.',
  ]
  const call = `changes(self._client, ${pathText(operation)}, since, ${queryText(filters)}, options)`
  return `${definition('changes', parameters, 'Iterator[Record]')}${docString(comment)}        return ${call}\n`
}

const followText = `    def follow(
        self,
        after: str | None = None,
        *,
        type: str | Sequence[str] | None = None,
        document: str | None = None,
        interval: float = 2.0,
        from_oldest: bool = False,
    ) -> Iterator[Record]:
        """Follow the feed in commit order, without gaps, through outages.

        To resume after a restart, keep the id of the last event that you have handled. Without
        \`after\`, only what happens from now on, or, with \`from_oldest\`, all that there is.
        \`interval\`: seconds between looks when nothing happens.
        """
        filters = {"type": type, "document": document}
        return follow(self._client, after, filters, interval, from_oldest)
`
