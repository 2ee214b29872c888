/**
 * Generates the OpenAPI 3.1 document from the operations: exactly what is served, with every status
 * and error code. It repeats nothing that a declaration already states.
 */
import { version } from '../../contract/version.ts'
import type { Family } from '../../contract/families.ts'
import { examples } from '../examples/index.ts'
import { accessText, rulesOf, tagOf, isVersioned } from '../operation-facts.ts'
import { type JsonSchema, inlineSchema } from './json-schema.ts'
import { shapeNames, shapes } from '../shapes.ts'
import { enumSchemas, withNamedEnums } from './named-enums.ts'
import { serverOf } from './servers.ts'
import { errorSchemas, eventSchemas } from './unions.ts'
import type { OpenApi, OperationObject } from './openapi-types.ts'
import { withUsedComponents } from './used-components.ts'
import type { Allowed, Operation } from '../../operations/operation.ts'
import { errorResponses, failureResponses, headers, successResponses } from './responses.ts'
import { headerParameters, parameterItems, requestBody } from './parameters.ts'
import { webhookHeaders, webhookPathItems } from './webhooks.ts'

/** The versioned contract: everything under /v1, and the webhooks. */
export const openApiDocument = (all: readonly Operation[], baseUrl: string): OpenApi => {
  const operations = all.filter(isVersioned)
  return documentOf(operations, baseUrl, {
    title: 'Document Exchange Service',
    summary: 'Organizations exchange business documents as one shared record per document.',
    description:
      'A document is one record shared by two organizations, projected for its reader. ' +
      `Guide and reference: ${baseUrl}/v1/docs. Within v1, fields and operations are only ever ` +
      'added: ignore response fields that you do not know.',
    isSignIn: false,
    webhooks: webhookPathItems(),
  })
}

/** Sign-in and sessions, which are outside of the versioned contract. */
export const authOpenApiDocument = (all: readonly Operation[], baseUrl: string): OpenApi => {
  const operations = all.filter((operation) => !isVersioned(operation))
  return documentOf(operations, baseUrl, {
    title: 'Document Exchange Service: sign-in',
    summary: 'A user signs in and gets a session, which is a credential under /v1.',
    description:
      'A session acts for one organization with the rights of its user. ' +
      `Guide: ${baseUrl}/v1/docs/authentication. API keys need none of this.`,
    isSignIn: true,
    webhooks: {},
  })
}

const documentOf = (
  operations: readonly Operation[],
  baseUrl: string,
  {
    webhooks,
    isSignIn,
    ...about
  }: Pick<OpenApi, 'webhooks'> & { isSignIn: boolean } & Record<
      'title' | 'summary' | 'description',
      string
    >,
): OpenApi => {
  const hasWebhooks = Object.keys(webhooks).length > 0
  const usedTags = new Set([...operations.map(tagOf), ...(hasWebhooks ? ['webhooks'] : [])])
  const paths: OpenApi['paths'] = {}
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase()] = operationObject(operation)
  }
  return withUsedComponents({
    openapi: '3.1.1',
    info: {
      ...about,
      version,
      contact: { name: 'The operator of this deployment', url: `${baseUrl}/v1/docs` },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [serverOf(baseUrl)],
    tags: tags.filter(({ name }) => usedTags.has(name)),
    paths: withNamedEnums(paths),
    webhooks,
    components: {
      schemas: {
        ...withNamedEnums({ ...shapeSchemas(), ...eventSchemas(), ...errorSchemas({ isSignIn }) }),
        ...enumSchemas(),
      },
      parameters: { ...headerParameters(operations), ...(hasWebhooks ? webhookHeaders : {}) },
      headers,
      responses: errorResponses(operations, baseUrl),
      securitySchemes: hasWebhooks ? { apiKey, adminSession } : { adminSession },
    },
  })
}

const tagDescriptions: Record<Family | 'account', string> = {
  documents: 'Business documents between two organizations.',
  payments: 'Payments of documents.',
  treasury: 'Accounts, balances and transactions of verified organizations.',
  provenance: 'Verified history, lineage and proofs.',
  keys: 'API keys.',
  webhooks: 'Endpoints that receive events, and their deliveries.',
  finance: 'Direct loans between verified members.',
  enablement: 'The families that this deployment serves.',
  account: 'The caller, its writes, and the description of the service. Always enabled.',
}

/** The tags, in the order of the docs. */
const tags = Object.entries(tagDescriptions).map(([name, description]) => ({ name, description }))

const operationObject = (operation: Operation): OperationObject => {
  const { id, summary, description, since, deprecation, scopes = [], body } = operation
  const paragraphs = [
    ...(description === undefined ? [] : [description]),
    `Access: ${accessText(operation)}`,
    ...rulesOf(operation),
  ]
  return {
    operationId: id,
    tags: [tagOf(operation)],
    summary,
    description: paragraphs.join('\n\n'),
    'x-since': since,
    ...(deprecation === undefined ? {} : { deprecated: true }),
    'x-scopes': scopes,
    security: credentialsOf(operation).map((name) => ({ [name]: [] })),
    parameters: parameterItems(operation),
    ...(body === undefined
      ? {}
      : { requestBody: requestBody(operation, body, examples[id]?.body) }),
    responses: { ...successResponses(operation), ...failureResponses(operation) },
  }
}

type Credential = 'apiKey' | 'adminSession'

const credentials: Record<Allowed, readonly Credential[]> = {
  public: [],
  any: ['apiKey', 'adminSession'],
  scoped: ['apiKey', 'adminSession'],
  session: ['adminSession'],
  admin: ['adminSession'],
  approver: ['adminSession'],
  'admin or scoped': ['apiKey', 'adminSession'],
}

/** The operations of sign-in are about a session; an API key has none. */
const credentialsOf = (operation: Operation): readonly Credential[] =>
  credentials[operation.allowed].filter((name) => name === 'adminSession' || isVersioned(operation))

const apiKey = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rk_live_… or rk_test_…',
  description: 'An API key acts for its organization, within its scopes.',
}

const adminSession = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'rs_live_… or rs_test_…',
  description: 'The session token of a signed-in user of the organization.',
}

const shapeSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, inlineSchema(shape, shapeNames)]),
  )
