/** A record as the API answers it. */
import Dialog from '../design/dialog.tsx'
import { Button } from '../design/button.tsx'
import { notify } from '../design/notices.tsx'

interface JsonDialogProps {
  title: string
  value: unknown
  onClose: () => void
}

const JsonDialog = ({ title, value, onClose }: JsonDialogProps) => {
  const text = JSON.stringify(value, null, 2)
  return (
    <Dialog title={title} onClose={onClose} size="large">
      <Button
        icon="copy"
        data-first
        onClick={() => void navigator.clipboard.writeText(text).then(() => notify('Copied'))}
      >
        Copy
      </Button>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls
        tabIndex={0}
        className="mt-3 max-h-[60dvh] overflow-auto rounded-md border border-line bg-canvas p-3 font-mono text-xs"
      >
        {text}
      </pre>
    </Dialog>
  )
}

export default JsonDialog
