/** Fields of forms: a label, a control, what it is for, and what is wrong with it. */
import { type ComponentProps, type ReactNode, createContext, useContext, useId } from 'react'
import { problemText } from '../api/call.ts'
import { type Params, useProblems } from './form.tsx'

const control =
  'h-8 w-full min-w-0 rounded-md border bg-raised px-2.5 text-base max-md:h-10 max-md:text-lg aria-invalid:border-red'

export interface Labelled {
  label: string
  hint?: ReactNode
  problem?: string | undefined
  /**
   * What of the body it holds, by default the member of its name: a refusal of the form that names
   * it is shown here.
   */
  param?: Params
}

interface Held extends Pick<Labelled, 'problem' | 'param'> {
  name?: string | undefined
}

export const useProblemOf = ({ problem, name, param = name && `/${name}` }: Held) => {
  const named = useProblems(param)
  return problem ?? (named.length === 0 ? undefined : named.map(problemText).join(' '))
}

export const FieldFrame = (
  props: Labelled & { id: string; children: ReactNode; className?: string | undefined },
) => (
  <div className={`min-w-0 ${props.className ?? ''}`}>
    <label htmlFor={props.id} className="mb-1 block text-sm font-medium">
      {props.label}
    </label>
    {props.children}
    {(props.problem ?? props.hint) && (
      <p
        id={`${props.id}-hint`}
        className={`mt-1 text-sm ${props.problem ? 'text-red' : 'text-muted'}`}
      >
        {props.problem ?? props.hint}
      </p>
    )}
  </div>
)

export const described = (id: string, { hint, problem }: Pick<Labelled, 'hint' | 'problem'>) => ({
  'aria-invalid': problem !== undefined,
  'aria-describedby': !hint && problem === undefined ? undefined : `${id}-hint`,
})

export const TextField = (props: Labelled & ComponentProps<'input'>) => {
  const id = useId()
  const { label, hint, problem: _, param: __, className, ...rest } = props
  const problem = useProblemOf(props)
  return (
    <FieldFrame id={id} label={label} hint={hint} problem={problem} className={className}>
      <input
        id={id}
        className={`${control} border-edge`}
        {...rest}
        {...described(id, { hint, problem })}
      />
    </FieldFrame>
  )
}

export const TextArea = (props: Labelled & ComponentProps<'textarea'> & { isCode?: boolean }) => {
  const id = useId()
  const { label, hint, problem: _, param: __, className, isCode = false, ...rest } = props
  const problem = useProblemOf(props)
  return (
    <FieldFrame id={id} label={label} hint={hint} problem={problem} className={className}>
      <textarea
        id={id}
        rows={3}
        className={`w-full rounded-md border border-edge bg-raised px-2.5 py-1.5 aria-invalid:border-red ${isCode ? 'font-mono text-xs' : 'max-md:text-lg'}`}
        {...rest}
        {...described(id, { hint, problem })}
      />
    </FieldFrame>
  )
}

const IsInvalidGroup = createContext(false)

interface GroupProps {
  legend: string
  hint?: string
  param: Params
  children: ReactNode
}

/** Boxes that are one field together. */
export const FieldGroup = ({ legend, hint, param, children }: GroupProps) => {
  const id = useId()
  const problem = useProblemOf({ param })
  const text = problem ?? hint
  return (
    <fieldset aria-describedby={text === undefined ? undefined : id}>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {text !== undefined && (
        <p id={id} className={`text-sm ${problem === undefined ? 'text-muted' : 'text-red'}`}>
          {text}
        </p>
      )}
      <IsInvalidGroup value={problem !== undefined}>{children}</IsInvalidGroup>
    </fieldset>
  )
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: ReactNode
  hint?: ReactNode
  /** Why it cannot be ticked; it can be focused and read then. */
  refusal?: string | undefined
}

export const CheckField = ({ label, hint, refusal, ...rest }: CheckProps) => {
  const id = useId()
  const isRefused = refusal !== undefined
  return (
    <label className="flex min-h-8 items-start gap-2.5 py-1.5">
      <input
        type="checkbox"
        className="mt-0.5 size-4 shrink-0"
        aria-invalid={useContext(IsInvalidGroup)}
        {...rest}
        {...(isRefused && {
          'aria-disabled': true,
          'aria-describedby': id,
          onClick: (event) => event.preventDefault(),
        })}
      />
      <span className="min-w-0">
        <span className={`font-medium ${isRefused ? 'text-faint' : ''}`}>{label}</span>
        {hint && <span className="block text-sm text-muted">{hint}</span>}
        {isRefused && (
          <span id={id} className="block text-sm">
            {refusal}
          </span>
        )}
      </span>
    </label>
  )
}
