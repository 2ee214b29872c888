/** A dialog over the page. Focus stays in it, and returns to where it was. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useId, useRef } from 'react'
import { Button, IconButton } from './button.tsx'
import { focusFirst } from './first-focus.ts'
import { Form } from './form.tsx'
import { Sentence } from './format.tsx'
import { Refusal } from './layout.tsx'

interface DialogProps {
  title: string
  lead?: ReactNode
  onClose: () => void
  children: ReactNode
  size?: 'small' | 'large' | 'side'
  /** Nothing closes it but a button in it. */
  isGuarded?: boolean
}

const sizes = {
  small: 'max-w-[30rem]',
  large: 'max-w-[47.5rem]',
  side: 'max-w-[35rem] mt-0 mr-0 mb-0 h-dvh max-h-dvh rounded-none border-y-0 border-r-0',
}

const popupClass =
  'relative m-auto flex max-h-[calc(100dvh-4.5rem)] w-[calc(100vw-2rem)] flex-col rounded-lg border border-line bg-raised popup-shadow outline-none animate-appear'

const Dialog = (props: DialogProps) => {
  const { title, lead, onClose, children, size = 'small', isGuarded = false } = props
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root
      defaultOpen
      onOpenChange={(isOpen, details) => {
        if (isGuarded) details.cancel()
        else if (!isOpen) onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[#00000066]" />
        <Base.Viewport className="fixed inset-0 z-50 flex">
          <Base.Popup
            ref={popup}
            initialFocus={() => focusFirst(popup.current)}
            className={`${popupClass} ${sizes[size]}`}
          >
            <header className="flex items-start gap-3 px-5 pt-4 pb-3">
              <div className="min-w-0 flex-1">
                <Base.Title className="text-lg font-semibold break-words">
                  <Sentence text={title} />
                </Base.Title>
                {lead && <Base.Description className="mt-0.5 text-muted">{lead}</Base.Description>}
              </div>
              {!isGuarded && (
                <Base.Close
                  render={<IconButton icon="close" label="Close" className="-mt-1 -mr-2" />}
                />
              )}
            </header>
            <div className="min-h-0 flex-1 scroll-pb-32 overflow-y-auto px-5 pt-1 pb-5">
              {children}
            </div>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

export default Dialog

/** The buttons at the end of a dialog, which stay in sight while the rest of it scrolls. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="sticky -bottom-5 -mx-5 mt-2 -mb-5 flex flex-wrap justify-end gap-2 rounded-b-lg border-line bg-raised px-5 pt-3 pb-5 max-sm:border-t">
    {children}
  </div>
)

interface FormDialogProps extends DialogProps {
  /** The write that the form ends in. */
  write: { error: Error | null; isPending: boolean }
  onSubmit: () => void
  verb: string
  isDanger?: boolean | undefined
  /** How one leaves without an effect. */
  cancel?: string
  /** Why it cannot be sent yet. */
  obstacle?: string | undefined
}

/** A dialog that ends in one write: its fields, what was refused, and the two buttons. */
export const FormDialog = (props: FormDialogProps) => {
  const {
    write,
    onSubmit,
    verb,
    isDanger,
    cancel = 'Not now',
    obstacle,
    children,
    ...dialog
  } = props
  const obstacleId = useId()
  return (
    <Dialog {...dialog}>
      <Form
        error={write.error}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-sm:gap-3">
          {children}
          {write.error && <Refusal error={write.error} />}
        </div>
        <DialogActions>
          {obstacle && (
            <p
              id={obstacleId}
              className="self-center text-sm text-muted max-sm:basis-full sm:min-w-40 sm:flex-1"
            >
              {obstacle}
            </p>
          )}
          <Button data-first={isDanger || undefined} onClick={dialog.onClose}>
            {cancel}
          </Button>
          <Button
            type="submit"
            kind={isDanger === true ? 'danger' : 'primary'}
            data-first={!isDanger || undefined}
            disabledReason={write.isPending ? 'Sending' : obstacle}
            reasonId={obstacle && obstacleId}
          >
            {write.isPending ? 'Sending…' : verb}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
