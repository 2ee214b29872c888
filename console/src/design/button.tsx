/** Buttons. One that cannot be used now stays reachable, and says why. */
import { type ComponentProps, useId } from 'react'
import { useOfflineRefusal } from '../api/offline.ts'
import { Icon, type IconName } from './icon.tsx'

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

/** An edge that is clear here is drawn where the person's own colours replace the backgrounds. */
const looks: Record<Kind, string> = {
  primary: 'border-transparent bg-accent-fill text-white hover:[filter:brightness(1.1)]',
  danger: 'border-transparent bg-red-fill text-white hover:[filter:brightness(1.1)]',
  plain: 'border-edge bg-raised hover:bg-hover',
  quiet: 'border-transparent text-muted hover:bg-hover hover:text-ink',
}

interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  kind?: Kind
  icon?: IconName
  /** Why it cannot be used now; it is then refused, but can be focused and read. */
  disabledReason?: string | undefined
  /** Its click writes, or leads to a write: it is refused offline, as what a form sends. */
  isWrite?: boolean
  /** Where the reason stands already; without it, it appears beside the button. */
  reasonId?: string | undefined
  /** The key that does the same. */
  shortcut?: string
}

const shape =
  'inline-flex h-8 items-center justify-center gap-2 rounded-md border px-3 font-medium whitespace-nowrap select-none max-md:h-9 print:hidden'
const refused = 'border-dashed border-edge text-faint bg-transparent'
/** A frame around it would make it louder than its enabled neighbour. */
const quietlyRefused = 'border-transparent text-faint bg-transparent'

export const buttonClass = (kind: Kind = 'plain'): string => `${shape} ${looks[kind]}`

export const Button = (props: ButtonProps) => {
  const { kind = 'plain', icon, reasonId, isWrite = props.type === 'submit', ...others } = props
  const { disabledReason: ownReason, shortcut, children, className, ...rest } = others
  const offline = useOfflineRefusal()
  const disabledReason = ownReason ?? (isWrite ? offline : undefined)
  const ownId = useId()
  const isRefused = disabledReason !== undefined
  return (
    <span className={`group relative inline-flex ${className ?? ''}`}>
      <button
        type="button"
        {...rest}
        className={`${shape} w-full ${isRefused ? (kind === 'quiet' ? quietlyRefused : refused) : looks[kind]}`}
        aria-disabled={isRefused}
        aria-keyshortcuts={shortcut}
        aria-describedby={isRefused ? (reasonId ?? ownId) : rest['aria-describedby']}
        onClick={isRefused ? (event) => event.preventDefault() : rest.onClick}
      >
        {icon && <Icon name={icon} />}
        {children}
        {shortcut && <ShortcutHint keys={shortcut} isOnFill={kind === 'primary' && !isRefused} />}
      </button>
      {isRefused && !reasonId && <Reason id={ownId}>{disabledReason}</Reason>}
    </span>
  )
}

const Reason = ({ id, children }: { id: string; children: string }) => (
  <span
    id={id}
    className="pointer-events-none reason absolute top-full right-0 z-30 my-2 w-max max-w-64 rounded-md bg-raised px-3 py-2 text-left text-sm whitespace-normal text-ink opacity-0 popup-shadow group-focus-within:opacity-100 group-hover:opacity-100"
  >
    {children}
  </span>
)

const ShortcutHint = ({ keys, isOnFill = false }: { keys: string; isOnFill?: boolean }) => (
  <kbd
    aria-hidden="true"
    className={`-mr-1 grid h-5 min-w-5 place-items-center rounded-sm px-1 font-sans text-xs max-md:hidden ${isOnFill ? 'bg-white/20' : 'border border-line bg-canvas text-faint'}`}
  >
    {keys}
  </kbd>
)

interface IconButtonProps extends ComponentProps<'button'> {
  icon: IconName
  label: string
  /** Its click writes: it is refused offline. */
  isWrite?: boolean
}

export const IconButton = ({ icon, label, isWrite, className, ...rest }: IconButtonProps) => {
  const offline = useOfflineRefusal()
  const id = useId()
  const isRefused = isWrite === true && offline !== undefined
  return (
    <button
      type="button"
      {...rest}
      {...(isRefused && { 'aria-disabled': true, 'aria-describedby': id, onClick: undefined })}
      aria-label={label}
      title={label}
      className={`group relative grid size-8 shrink-0 place-items-center rounded-md print:hidden ${isRefused ? 'text-faint' : 'text-muted hover:bg-hover hover:text-ink'} ${className ?? ''}`}
    >
      <Icon name={icon} />
      {isRefused && <Reason id={id}>{offline}</Reason>}
    </button>
  )
}
