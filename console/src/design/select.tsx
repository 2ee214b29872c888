/** A choice of one: the list of the browser, which every device shows its own way, in our frame. */
import type { ComponentProps } from 'react'
import { Icon } from './icon.tsx'

export type Options = readonly (readonly [value: string, text: string])[]

interface SelectProps extends ComponentProps<'select'> {
  options: Options
}

export const Select = ({ options, className = '', ...rest }: SelectProps) => (
  <span className={`relative inline-flex h-8 min-w-0 max-md:h-10 ${className}`}>
    <select
      {...rest}
      className="w-full min-w-0 appearance-none rounded-md border border-edge bg-raised pr-8 pl-2.5 text-ellipsis not-disabled:hover:border-faint disabled:text-muted aria-invalid:border-red data-chosen:border-accent data-chosen:bg-accent-tint data-chosen:text-accent"
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
    <Icon
      name="down"
      className="pointer-events-none absolute inset-y-0 right-2.5 my-auto text-muted"
    />
  </span>
)
