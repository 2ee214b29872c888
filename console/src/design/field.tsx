/** Fields of forms: a label, a control, what it is for, and what is wrong with it. */
import { type ComponentProps, type ReactNode, useId } from 'react'
import { type Options, Select } from './select.tsx'

const control =
  'h-8 w-full min-w-0 rounded-md border bg-raised px-2.5 text-base max-md:h-10 max-md:text-lg aria-invalid:border-red'

interface Labelled {
  label: string
  hint?: ReactNode
  problem?: string | undefined
}

const Frame = (props: Labelled & { id: string; children: ReactNode; className?: string }) => (
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

const described = (id: string, { hint, problem }: Labelled) => ({
  'aria-invalid': problem !== undefined,
  'aria-describedby': hint === undefined && problem === undefined ? undefined : `${id}-hint`,
})

export const TextField = (props: Labelled & ComponentProps<'input'>) => {
  const id = useId()
  const { label, hint, problem, className, ...rest } = props
  return (
    <Frame {...{ id, label, hint, problem }} {...(className === undefined ? {} : { className })}>
      <input id={id} className={`${control} border-edge`} {...rest} {...described(id, props)} />
    </Frame>
  )
}

export const TextArea = (props: Labelled & ComponentProps<'textarea'> & { isCode?: boolean }) => {
  const id = useId()
  const { label, hint, problem, className, isCode = false, ...rest } = props
  return (
    <Frame {...{ id, label, hint, problem }} {...(className === undefined ? {} : { className })}>
      <textarea
        id={id}
        rows={3}
        className={`w-full rounded-md border border-edge bg-raised px-2.5 py-1.5 ${isCode ? 'font-mono text-xs' : 'max-md:text-lg'}`}
        {...rest}
        {...described(id, props)}
      />
    </Frame>
  )
}

interface SelectProps extends Labelled, ComponentProps<'select'> {
  options: Options
}

export const SelectField = (props: SelectProps) => {
  const id = useId()
  const { label, hint, problem, className, ...rest } = props
  return (
    <Frame {...{ id, label, hint, problem }} {...(className === undefined ? {} : { className })}>
      <Select
        id={id}
        className="w-full text-base max-md:text-lg"
        {...rest}
        {...described(id, props)}
      />
    </Frame>
  )
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'type'> {
  label: ReactNode
  hint?: ReactNode
}

export const CheckField = ({ label, hint, ...rest }: CheckProps) => (
  <label className="flex min-h-8 items-start gap-2.5 py-1.5">
    <input type="checkbox" className="mt-0.5 size-4 shrink-0" {...rest} />
    <span className="min-w-0">
      <span className="font-medium">{label}</span>
      {hint && <span className="block text-sm text-muted">{hint}</span>}
    </span>
  </label>
)
