/** The reference: a page per resource, with a section per operation and per object. */
import type { Operation } from '../../operations/operation.ts'
import { examples } from '../examples/index.ts'
import { type JsonSchema, inlineSchema } from '../openapi/json-schema.ts'
import { type Block, type Section, codeSpan, json, list, table, text } from '../blocks.ts'
import { shapeNames, shapes } from '../shapes.ts'
import { fieldTable, shapeLink } from './field-tables.ts'
import { operationSection } from './operation-section.ts'
import { type Resource, resourcesOf } from './resources.ts'

/** The overview comes first. */
export const referencePages = (all: readonly Operation[], baseUrl: string): Section[] => {
  const resources = resourcesOf(all)
  const homes = homesOfShapes(resources)
  const pages = resources.map((resource) => resourcePage(resource, homes, baseUrl))
  return [overview(resources, homes, baseUrl), ...pages]
}

const overview = (
  resources: readonly Resource[],
  homes: ReadonlyMap<string, Resource>,
  baseUrl: string,
): Section => ({
  id: 'reference',
  title: 'All operations',
  blocks: [
    text(
      `This reference is also available as an [OpenAPI 3.1 document](${baseUrl}/v1/openapi.json) ([YAML](${baseUrl}/v1/openapi.yaml)).`,
    ),
  ],
  sections: [
    ...resources.map(({ name, title, operations }): Section => ({
      id: `operations-${name}`,
      title,
      blocks: [
        table(
          ['Operation', 'Endpoint', 'Description'],
          operations.map(({ id, method, path, summary }) => [
            `[${id}](#${id})`,
            codeSpan(`${method} ${path}`),
            summary,
          ]),
        ),
      ],
    })),
    objects(homes),
  ],
})

const objects = (homes: ReadonlyMap<string, Resource>): Section => ({
  id: 'shapes',
  title: 'Objects',
  blocks: [
    text('The objects that operations return. New fields may be added at any time.'),
    list(...[...homes.keys()].map((name) => shapeLink(name))),
  ],
})

const resourcePage = (
  { name, title, summary, operations }: Resource,
  homes: ReadonlyMap<string, Resource>,
  baseUrl: string,
): Section => {
  const own = [...homes].filter(([, home]) => home.name === name).map(([shape]) => shape)
  return {
    id: `reference-${name}`,
    title,
    blocks: [text(summary), endpoints(operations)],
    sections: [
      ...operations.map((operation) => operationSection(operation, baseUrl)),
      ...(own.length === 0 ? [] : [objectsOf(name, own, operations)]),
    ],
  }
}

const endpoints = (operations: readonly Operation[]): Block =>
  table(
    ['Endpoint', 'Description'],
    operations.map(({ id, method, path, summary }) => [`[\`${method} ${path}\`](#${id})`, summary]),
  )

const objectsOf = (
  resource: string,
  names: readonly string[],
  operations: readonly Operation[],
): Section => ({
  id: `objects-${resource}`,
  title: 'Objects',
  blocks: [],
  sections: names.map((name) => shapeSection(name, operations)),
})

const shapeSection = (name: string, operations: readonly Operation[]): Section => {
  const shape = shapes[name]
  const operation = operations.findLast(({ id, response }) => response === shape && id in examples)
  const example = operation === undefined ? undefined : examples[operation.id]?.response
  return {
    id: `shape-${name}`,
    title: name,
    blocks: [fieldTable(shape)],
    ...(example === undefined ? {} : { aside: [json(example)] }),
  }
}

/**
 * The page that describes an object: that of the first operation which returns or takes it. Request
 * bodies are described with their operations, and details of errors under Account.
 */
const homesOfShapes = (resources: readonly Resource[]): Map<string, Resource> => {
  const bodies = new Set(resources.flatMap(({ operations }) => operations.map(({ body }) => body)))
  const homes = new Map<string, Resource>()
  const settle = (names: Iterable<string>, resource: Resource) => {
    for (const name of names) {
      if (!homes.has(name) && !bodies.has(shapes[name] as never)) homes.set(name, resource)
    }
  }
  for (const resource of resources) {
    for (const { response, body } of resource.operations) {
      settle([...shapesIn(response), ...shapesIn(body)], resource)
    }
  }
  const account = resources.find(({ name }) => name === 'account')
  if (account !== undefined) settle(Object.keys(shapes), account)
  return homes
}

/** The named shapes that a schema is or refers to, and those that these refer to. */
const shapesIn = (schema: unknown, found = new Set<string>()): Set<string> => {
  if (schema === undefined) return found
  const name = shapeNames.get(schema as object)
  if (name !== undefined) {
    if (found.has(name)) return found
    found.add(name)
  }
  for (const reference of referencesIn(inlineSchema(schema, shapeNames))) {
    shapesIn(shapes[reference], found)
  }
  return found
}

const referencesIn = (schema: JsonSchema): string[] =>
  Object.entries(schema).flatMap(([key, value]) => {
    if (key === '$ref') return [String(value).split('/').at(-1) ?? '']
    return typeof value === 'object' && value !== null ? referencesIn(value as JsonSchema) : []
  })
