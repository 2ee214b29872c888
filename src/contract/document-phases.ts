/** The statuses of documents by phase of their life, across types (domain 1.1). */

export const phases = {
  draft: ['draft'],
  pending: ['submitted', 'sent', 'acknowledged'],
  accepted: ['approved', 'accepted', 'funded'],
  disputed: ['disputed', 'flagged'],
  paying: ['payment_scheduled'],
  settled: ['paid', 'applied', 'fulfilled', 'converted', 'repaid'],
  closed: ['rejected', 'cancelled', 'expired', 'closed'],
} as const

export type Phase = keyof typeof phases

/** In these a balance is owed and may be overdue: neither a draft, nor settled, nor closed. */
export const owedPhases: readonly Phase[] = ['pending', 'accepted', 'disputed', 'paying']

export const owedStatuses: readonly string[] = owedPhases.flatMap((phase) => phases[phase])

export const isOwed = (status: string): boolean => owedPhases.includes(phaseOf(status))

const phaseByStatus = new Map<string, Phase>(
  (Object.keys(phases) as Phase[]).flatMap((phase) =>
    phases[phase].map((status): [string, Phase] => [status, phase]),
  ),
)

export const phaseOf = (status: string): Phase => phaseByStatus.get(status)!

/** Every status of any type: a `to` outside this list is unknown (400), not illegal (409). */
export const statuses: readonly string[] = [...phaseByStatus.keys()]
