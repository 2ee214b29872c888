/** The audit log is written in the transaction of the write itself (contract 12). */
import type { BrokenSeal } from '../database/row-seals.ts'
import type { Connection } from '../database/sql.ts'
import {
  type NewAuditEntry,
  appendAuditEntries,
  lockTrails,
} from '../store/identity/audit-entries.ts'
import type { OperationResponse, WriteRequest } from './write-request.ts'

export interface AuditLog {
  /** Why no write of this organization may be made; undefined when nothing is wrong. */
  obstacleFor(request: WriteRequest): BrokenSeal | undefined
  add(request: WriteRequest, response: OperationResponse): void
  /** Before the transaction ends. */
  write(at: string): Promise<void>
}

const isAudited = ({ audited, dryRun }: WriteRequest): boolean => audited !== undefined && !dryRun

/** Locks the audit trails of the requests that people made; it comes last of all locks. */
export const openAuditLog = async (
  tx: Connection,
  requests: readonly WriteRequest[],
): Promise<AuditLog> => {
  const organizations = requests.filter(isAudited).map(({ organization }) => organization)
  const obstacles = await lockTrails(tx, organizations)
  const entries: NewAuditEntry[] = []
  return {
    obstacleFor: (request) =>
      isAudited(request) ? obstacles.get(request.organization) : undefined,
    add: (request, response) => {
      if (isAudited(request)) entries.push(entryOf(request, response.resourceId))
    },
    write: (at) => appendAuditEntries(tx, entries, at),
  }
}

const entryOf = (
  { organization, requestId, audited }: WriteRequest,
  resource: string | undefined,
): NewAuditEntry => ({
  organization_id: organization,
  user_id: audited!.user,
  operation: audited!.operation,
  path: audited!.path,
  resource_id: resource ?? null,
  request_id: requestId,
  address: audited!.address,
})
