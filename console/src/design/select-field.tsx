/** A choice of one in a form. It stands apart from the other fields: whoever signs in has none. */
import { type ComponentProps, useId } from 'react'
import { FieldFrame, type Labelled, described, useProblemOf } from './field.tsx'
import { type Options, Select } from './select.tsx'

interface SelectProps extends Labelled, ComponentProps<'select'> {
  options: Options
}

export const SelectField = (props: SelectProps) => {
  const id = useId()
  const { label, hint, problem: _, param: __, className, ...rest } = props
  const problem = useProblemOf(props)
  return (
    <FieldFrame id={id} label={label} hint={hint} problem={problem} className={className}>
      <Select
        id={id}
        className="w-full text-base max-md:text-lg"
        {...rest}
        {...described(id, { hint, problem })}
      />
    </FieldFrame>
  )
}
