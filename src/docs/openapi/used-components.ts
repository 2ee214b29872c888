/** Leaves out the components of an OpenAPI document that nothing in it refers to. */
import type { OpenApi } from './openapi-types.ts'

export const withUsedComponents = (document: OpenApi): OpenApi => {
  const { paths, webhooks, components } = document
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key !== '$ref' || typeof inner !== 'string') visit(inner)
      else if (!used.has(inner)) {
        used.add(inner)
        visit(componentAt(components, inner))
      }
    }
  }
  visit([paths, webhooks])
  const { schemas, parameters, headers, responses } = components
  return {
    ...document,
    components: {
      schemas: usedOf('schemas', schemas, used),
      parameters: usedOf('parameters', parameters, used),
      headers: usedOf('headers', headers, used),
      responses: usedOf('responses', responses, used),
      securitySchemes: components.securitySchemes,
    },
  }
}

/** `#/components/schemas/Currency` is the component Currency of the schemas. */
const componentAt = (components: OpenApi['components'], reference: string): unknown => {
  const [, , kind, name] = reference.split('/')
  return components[kind as keyof OpenApi['components']][name ?? '']
}

const usedOf = <T>(
  kind: string,
  parts: Readonly<Record<string, T>>,
  used: ReadonlySet<string>,
): Record<string, T> =>
  Object.fromEntries(
    Object.entries(parts).filter(([name]) => used.has(`#/components/${kind}/${name}`)),
  )
