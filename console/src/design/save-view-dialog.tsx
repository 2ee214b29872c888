/** Gives the filters of a list a name, under which they are found again. */
import { useState } from 'react'
import type { SavedView } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { FormDialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { notify } from './notices.tsx'

interface SaveViewDialogProps {
  list: SavedView['list']
  query: string
  onClose: () => void
}

const SaveViewDialog = ({ list, query, onClose }: SaveViewDialogProps) => {
  const [name, setName] = useState('')
  const write = useWrite<SavedView>(({ body }) => {
    notify(`“${body.name}” is saved.`)
    onClose()
  })
  const body = { name, list, query }
  return (
    <FormDialog
      title="Save this view"
      lead="The filters as they are now. Only you see it."
      write={write}
      verb="Save view"
      obstacle={name.trim() === '' ? 'Give it a name.' : undefined}
      onSubmit={() => write.mutate({ path: '/v1/saved_views', body })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        param="/name"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  )
}

export default SaveViewDialog
