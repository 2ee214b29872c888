/**
 * A failed verification: the data is withheld, the operator alerted, and the document put on hold.
 */
import { type Refusal, refuse, unavailable } from '../../contract/errors.ts'
import { encodeId } from '../../core/ids.ts'
import type { Database } from '../../database/pool.ts'
import {
  BrokenSeal,
  type RowSeals,
  type SealedTable,
  UnwrittenRows,
} from '../../database/row-seals.ts'
import { newId } from '../../database/new-ids.ts'
import { MissingNode } from '../../store/provenance/tiles.ts'
import { setIntegrityHold } from '../../store/provenance/transparency-log.ts'
import { Failure } from '../../../verifier/verify-bundle.mjs'
import type { Logger } from '../../telemetry/logger.ts'
import { LogFailure } from './verified-log.ts'

/** A failed check and the document it concerns. */
export class IntegrityFailure extends Error {
  override name = 'IntegrityFailure'
  /** Undefined if only the log is concerned. */
  readonly documentId: string | undefined
  readonly failure: Failure
  /** The document that the caller requested. */
  readonly requestedId: string | undefined
  /** The document was on hold before, so the alarm was raised then. */
  readonly isOnHold: boolean
  constructor(
    document: string | undefined,
    failure: Failure,
    {
      requestedId = document,
      isOnHold = false,
    }: { requestedId?: string | undefined; isOnHold?: boolean } = {},
  ) {
    super(`${failure.check}: ${failure.message}`, { cause: failure })
    this.documentId = document
    this.failure = failure
    this.requestedId = requestedId
    this.isOnHold = isOnHold
  }

  /** A failure of the whole log may come from a change that is being written. */
  get isTransient(): boolean {
    return this.failure instanceof LogFailure
  }

  /** The same failure, reported for the document that the caller requested. */
  attributedTo(requestedId: string): IntegrityFailure {
    return new IntegrityFailure(this.documentId, this.failure, {
      requestedId,
      isOnHold: this.isOnHold,
    })
  }
}

/** Runs checks on the record of a document, or on the log alone; a failure names the document. */
export const attributeFailure = async <T>(
  document: string | undefined,
  check: () => Promise<T>,
  isOnHold = false,
): Promise<T> => {
  try {
    return await check()
  } catch (error) {
    const failure = asFailure(error)
    if (failure === undefined) throw error
    throw new IntegrityFailure(document, failure, { isOnHold })
  }
}

const asFailure = (error: unknown): Failure | undefined => {
  if (error instanceof Failure) return error
  if (error instanceof BrokenSeal) return new Failure('GUARD', error.message)
  return error instanceof MissingNode ? new Failure('INCLUSION', error.message) : undefined
}

export interface AlarmDependencies {
  database: Pick<Database, 'read'>
  keyring: Pick<RowSeals, 'renew'>
  log: Pick<Logger, 'error'>
  metrics: { count(name: string, labels?: string): void }
}

/**
 * The alarm for a row whose seal does not match. None is raised if this process has just heard of
 * the server key under which the row may be sealed.
 */
export const sealAlarm = async (
  dependencies: AlarmDependencies,
  error: BrokenSeal,
): Promise<Refusal> => {
  if (await hasNewServerKey(dependencies)) return serverKeyHasChanged()
  return raiseIntegrityAlarm(dependencies, failureOfSeal(error))
}

/** The hold is on the document, if the row is one. */
export const failureOfSeal = (error: BrokenSeal): IntegrityFailure => {
  const { table, id, message } = error
  const isDocument = table === 'documents' && !(error instanceof UnwrittenRows)
  return new IntegrityFailure(isDocument ? id : undefined, new Failure('GUARD', message))
}

/** So many rows of the table beside those that have an alarm of their own. */
export const failureOfSeals = (table: SealedTable, count: number): IntegrityFailure =>
  new IntegrityFailure(undefined, new Failure('GUARD', `${table}: ${count} more false rows`))

export const hasNewServerKey = ({ keyring, database }: AlarmDependencies): Promise<boolean> =>
  keyring.renew(database.read)

const serverKeyHasChanged = (): Refusal =>
  unavailable(
    'The service changes its server key. Send the request with its Idempotency-Key again.',
  )

/** Logs and counts the failure, puts the document on hold and returns the refusal. */
export const raiseIntegrityAlarm = async (
  dependencies: AlarmDependencies,
  error: IntegrityFailure,
): Promise<Refusal> => {
  const { documentId, failure, requestedId } = error
  const { check, seq, slot } = failure
  const incident = encodeId('inc', newId())
  const document = documentId === undefined ? undefined : encodeId('doc', documentId)
  dependencies.metrics.count('docex_integrity_failures_total', `check="${check}"`)
  dependencies.log.error({ error, incident, document, check, seq, slot }, 'integrity_failure')
  if (documentId !== undefined && !error.isTransient)
    await setIntegrityHold(dependencies.database.read, [documentId])
  return refuse(
    'integrity_failure',
    requestedId === undefined
      ? 'The stored log does not match what was signed. Nothing was returned.'
      : 'The stored record of this document does not match its proofs. Nothing was returned.',
    {
      ...(requestedId === undefined ? {} : { document_id: encodeId('doc', requestedId) }),
      failures: [
        { check, ...(seq === undefined ? {} : { seq }), ...(slot === undefined ? {} : { slot }) },
      ],
      ...(requestedId === undefined ? {} : { last_verified_seq: seq === undefined ? 0 : seq - 1 }),
      incident_id: incident,
    },
  )
}
