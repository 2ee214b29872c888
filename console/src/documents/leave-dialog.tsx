/** Asks whether a form with changes is left. */
import { Button } from '../design/button.tsx'
import Dialog, { DialogActions } from '../design/dialog.tsx'

interface LeaveDialogProps {
  /** Whether this browser keeps what was entered. */
  isKept: boolean
  onLeave: () => void
  onClose: () => void
}

const LeaveDialog = ({ isKept, onLeave, onClose }: LeaveDialogProps) => (
  <Dialog
    title="Leave without saving?"
    lead={
      isKept
        ? 'It is not sent. This browser keeps what you have entered for a week, until you sign out.'
        : 'What you have entered is kept nowhere else.'
    }
    onClose={onClose}
  >
    <DialogActions>
      <Button data-first onClick={onClose}>
        Go on editing
      </Button>
      <Button kind="danger" onClick={onLeave}>
        Leave
      </Button>
    </DialogActions>
  </Dialog>
)

export default LeaveDialog
