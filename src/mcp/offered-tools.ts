/**
 * Which tools a caller is offered, and why not the others. What a caller may do is decided by the
 * API alone; this list leaves out what the API would refuse, what the path of the connection leaves
 * out, decisions on approvals, and what pays or binds by a key without a limit or an approval rule.
 */
import type { CallingOrganization, Context, Credential } from '../context.ts'
import { approvableOperations } from '../contract/approvals.ts'
import { familyNames } from '../contract/families.ts'
import type { Scope } from '../contract/scopes.ts'
import { encodeId } from '../core/ids.ts'
import { joinedByAnd } from '../core/listed-words.ts'
import { isWrite } from '../docs/operation-facts.ts'
import type { Operation, Requirement } from '../operations/operation.ts'
import { lackingAuthority, requirementsOf } from '../operations/required-authority.ts'
import type { ToolRequest } from './tool-request.ts'
import type { OperationTool } from './tools.ts'

/** What the path of the endpoint selects: `/mcp/readonly/x/documents,payments`. */
export interface Selection {
  isReadOnly: boolean
  /** Undefined: all. */
  toolsets: ReadonlySet<string> | undefined
}

export interface ToolCaller {
  credential: Credential
  scopes: ReadonlySet<Scope>
  organization: Pick<CallingOrganization, 'id' | 'mode' | 'isVerified'>
  config: Pick<Context['config'], 'families' | 'baseUrl'>
}

export const toolsetNames: readonly string[] = [...familyNames, 'sandbox', 'developer']

const toolsetOf = ({ id, family }: Pick<Operation, 'id' | 'family'>): string =>
  family ?? (id.startsWith('sandbox') ? 'sandbox' : 'developer')

export interface Withheld {
  reason:
    | 'family_not_enabled'
    | 'sandbox_isolation'
    | 'scope'
    | 'capability'
    | 'approval'
    | 'signature'
    | 'payment_limit'
    | 'read_only'
    | 'toolset'
  message: string
  /** What would change it. */
  remedy: string
}

/** Undefined: the tool is offered. Otherwise the first reason, in the order of the checks. */
export const withheld = (
  { operation }: Pick<OperationTool, 'operation'>,
  caller: ToolCaller,
  selection: Selection,
): Withheld | undefined =>
  byFamily(operation.family, caller) ??
  byFamily(operation.alsoNeeds, caller) ??
  byOrganization(operation, caller) ??
  byScope(operation, caller) ??
  byDecision(operation) ??
  bySignature(operation, caller) ??
  byPaymentLimit(operation, caller) ??
  bySelection(operation, selection)

/** The same of a call: what its arguments need beyond the tool may be withheld alone. */
export const withheldCall = (
  tool: Pick<OperationTool, 'operation'>,
  request: Pick<ToolRequest, 'body' | 'query'>,
  caller: ToolCaller,
  selection: Selection,
): Withheld | undefined => {
  for (const required of requirementsOf(tool.operation, request)) {
    const why = byRequirement(required, caller, selection)
    if (why !== undefined) return why
  }
  return withheld(tool, caller, selection)
}

/** Why some arguments of an offered tool are refused, or the first reason of several. */
export const withheldInPart = (
  { operation: { bodyRequires, queryRequires } }: Pick<OperationTool, 'operation'>,
  caller: ToolCaller,
  selection: Selection,
): Withheld | undefined => {
  for (const required of [bodyRequires, queryRequires]) {
    if (required === undefined) continue
    const why =
      byFamily(required.family, caller) ??
      byScope({ allowed: 'scoped', ...required }, caller) ??
      byRequirement(required, caller, selection)
    if (why !== undefined) return why
  }
  return undefined
}

/** What the API itself does not decide. */
const byRequirement = (
  { family, scopes }: Requirement,
  caller: ToolCaller,
  selection: Selection,
): Withheld | undefined =>
  (scopes.includes('payments:write') ? byMissingLimit(caller) : undefined) ??
  byToolset(family, 'What these arguments ask for', selection)

const byFamily = (family: Operation['family'], { config }: ToolCaller): Withheld | undefined => {
  if (family === undefined || config.families.has(family)) return
  return {
    reason: 'family_not_enabled',
    message: `The ${family} family is not enabled in this deployment.`,
    remedy: 'The operator of the service switches families on with FAMILIES.',
  }
}

const byOrganization = (
  { id, family }: Operation,
  { organization: { mode, isVerified } }: ToolCaller,
): Withheld | undefined => {
  if (mode === 'live' && id.startsWith('sandbox.')) {
    return {
      reason: 'sandbox_isolation',
      message: 'Only sandboxes have this, and this organization is live.',
      remedy: 'Connect with a key of a sandbox.',
    }
  }
  if (family !== 'finance' || isVerified) return
  return {
    reason: 'capability',
    message: 'Loans are between verified organizations, and this one is not verified.',
    remedy: verifiedFirst,
  }
}

const verifiedFirst = 'The organization is verified first.'

const byScope = (
  operation: Pick<Operation, 'allowed' | 'scopes'>,
  caller: ToolCaller,
): Withheld | undefined => {
  const lacking = lackingAuthority(operation, caller)
  if (lacking === undefined) return undefined
  switch (lacking.lacks) {
    case 'scopes':
      return {
        reason: 'scope',
        message: `This credential lacks ${joinedByAnd(lacking.scopes)}.`,
        remedy: 'An admin of the organization creates a key with these scopes.',
      }
    case 'verification':
      return {
        reason: 'capability',
        message: `${lacking.scope} is granted, but this organization is not verified.`,
        remedy: verifiedFirst,
      }
    default:
      return { reason: 'scope', ...sessionTexts[lacking.lacks] }
  }
}

const sessionTexts = {
  session: {
    message: 'This belongs to a signed-in person; an API key has none.',
    remedy: 'A member of the organization signs in and does it.',
  },
  approver_session: {
    message: 'Only a person decides on approvals; an API key never may.',
    remedy: 'An owner, admin or approver of the organization signs in and decides.',
  },
  admin_session: {
    message: 'Only an admin session may do this; an API key never may.',
    remedy: 'A signed-in owner or admin of the organization does it.',
  },
}

/** A client holds the session of a person, but a model must not confirm what it asked for. */
const byDecision = ({ allowed }: Operation): Withheld | undefined => {
  if (allowed !== 'approver') return
  return {
    reason: 'approval',
    message: 'A person decides on an approval, and never a model on behalf of one.',
    remedy: 'The person opens the approval in the console and decides there.',
  }
}

/** A signature covers the HTTP request of one operation, and a tool call is none. */
const bySignature = (operation: Operation, { credential }: ToolCaller): Withheld | undefined => {
  if (credential.signingKey === null || !isWrite(operation)) return
  return {
    reason: 'signature',
    message: 'The writes of this key must be signed, and a tool call cannot carry a signature.',
    remedy: 'Send the signed request over HTTP, or use a key without signing_key.',
  }
}

const byPaymentLimit = (operation: Operation, caller: ToolCaller): Withheld | undefined =>
  paysOrBinds(operation) ? byMissingLimit(caller) : undefined

/** Only some targets of documents.transition do, so its calls are looked at one by one. */
const paysOrBinds = ({ id, scopes = [] }: Operation): boolean =>
  scopes.includes('payments:write') ||
  approvableOperations.some((one) => one === id && one !== 'documents.transition')

/**
 * A model must not hold a credential that pays any amount without a person. A key without
 * payments:write pays nothing: who funds its offer still needs the scope.
 */
const byMissingLimit = ({ credential, organization, config }: ToolCaller): Withheld | undefined => {
  const { kind, grantedScopes, hasPaymentLimit, requiresApproval } = credential
  if (kind !== 'key' || !grantedScopes.includes('payments:write')) return
  if (hasPaymentLimit || requiresApproval) return
  const page = `${config.baseUrl}/app/o/${encodeId('org', organization.id)}/keys`
  const practice =
    organization.mode === 'test'
      ? ' To practise, sandbox_demo_transition lets the demo counterparty pay your invoice.'
      : ''
  return {
    reason: 'payment_limit',
    message:
      'This key may pay without any limit or approval, so no tool that pays, or binds to pay, is offered to it.',
    remedy: `An admin creates a key with payment_limits, requires_approval or requires_approval_above: on the page Keys of the console, ${page}, or with \`docex keys create --name Assistant --scopes documents:read,documents:write,payments:read,payments:write --requires-approval true\`.${practice}`,
  }
}

const bySelection = (operation: Operation, selection: Selection): Withheld | undefined => {
  const toolset = toolsetOf(operation)
  if (selection.isReadOnly && isWrite(operation)) {
    const writing = { ...withToolset(selection, toolset), isReadOnly: false }
    return {
      reason: 'read_only',
      message: 'This endpoint is read-only, and the tool writes.',
      remedy: `Connect to ${endpointOf(writing)} instead of ${endpointOf(selection)}.`,
    }
  }
  return byToolset(toolset, 'The tool', selection)
}

const byToolset = (
  toolset: string,
  subject: string,
  selection: Selection,
): Withheld | undefined => {
  const { isReadOnly, toolsets } = selection
  if (toolsets === undefined || toolsets.has(toolset)) return
  const all = endpointOf({ isReadOnly, toolsets: undefined })
  return {
    reason: 'toolset',
    message: `${subject} belongs to the toolset ${toolset}, which this endpoint leaves out.`,
    remedy: `Connect to ${all}, or to ${endpointOf(withToolset(selection, toolset))}.`,
  }
}

const withToolset = ({ isReadOnly, toolsets }: Selection, toolset: string): Selection => ({
  isReadOnly,
  toolsets: toolsets && new Set([...toolsets, toolset]),
})

/** The path that selects this, in the form of `mcpPages`. */
const endpointOf = ({ isReadOnly, toolsets }: Selection): string =>
  `/mcp${isReadOnly ? '/readonly' : ''}${toolsets === undefined ? '' : `/x/${[...toolsets].join(',')}`}`
