/** The state of a thing: text, icon and colour, never colour alone. */
import type { DocumentPhase } from '../api/types.ts'
import { wordsOf } from './format.tsx'

export type Tone = 'neutral' | 'waiting' | 'accent' | 'good' | 'bad' | 'warning'

const tones: Record<Tone, string> = {
  neutral: 'text-faint',
  waiting: 'text-amber',
  accent: 'text-accent',
  good: 'text-green',
  bad: 'text-red',
  warning: 'text-amber',
}

const marks: Record<Tone, string> = {
  neutral: 'M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM5.500 8h5',
  waiting: 'M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM8 5v3.200l2 1.200',
  accent:
    'M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM6.200 8.200l1.400 1.400 2.300-3',
  good: 'M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM5.500 8.200 7.300 10l3.200-4',
  bad: 'M8 13.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM6 6l4 4M10 6l-4 4',
  warning: 'M8 2.500 14 13.500H2zM8 6.500v3M8 11.500v.200',
}

export const Status = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className="inline-flex items-center gap-1.5 align-middle font-medium whitespace-nowrap">
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={`size-4 shrink-0 fill-none stroke-current ${tones[tone]}`}
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeDasharray={tone === 'neutral' ? '2 2.200' : undefined}
    >
      <path d={marks[tone]} />
    </svg>
    <span>{children}</span>
  </span>
)

const phaseTones: Record<DocumentPhase, Tone> = {
  draft: 'neutral',
  pending: 'waiting',
  accepted: 'accent',
  disputed: 'bad',
  paying: 'accent',
  settled: 'good',
  closed: 'neutral',
}

interface DocumentState {
  status: string
  phase: DocumentPhase
  overdue?: boolean
}

export const DocumentStatusMark = ({ status, phase, overdue = false }: DocumentState) =>
  overdue ? (
    <Status tone="bad">{`${wordsOf(status)}, overdue`}</Status>
  ) : (
    <Status tone={phaseTones[phase]}>{wordsOf(status)}</Status>
  )

const statusTones: Record<string, Tone> = {
  settled: 'good',
  succeeded: 'good',
  active: 'good',
  ACTIVE: 'good',
  posted: 'good',
  accepted: 'good',
  matched: 'good',
  funded: 'accent',
  repaid: 'good',
  approved: 'good',
  executed: 'good',
  failed: 'bad',
  returned: 'bad',
  DISABLED: 'bad',
  revoked: 'bad',
  flagged: 'bad',
  processing: 'accent',
  created: 'accent',
  scheduled: 'waiting',
  pending: 'waiting',
  retrying: 'warning',
  invited: 'waiting',
  rotating: 'warning',
  open: 'waiting',
  declined: 'bad',
}

/** The state of anything but a document. */
export const StatusMark = ({ status }: { status: string }) => (
  <Status tone={statusTones[status] ?? 'neutral'}>{wordsOf(status)}</Status>
)
