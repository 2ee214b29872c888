/** A token for the command line and curl, which acts as the person in this organization. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../api/call.ts'
import { type CliToken, cliTokenFor } from '../api/cli-tokens.ts'
import { useSession } from '../api/session.ts'
import { FormDialog } from '../design/dialog.tsx'
import { Time, wordsOf } from '../design/format.tsx'
import { Command, Fact } from '../design/layout.tsx'
import { SecretDialog, hashIsKept, useSecretUnderWay } from '../keys/secret-dialog.tsx'

const CliTokenDialog = ({ onClose }: { onClose: () => void }) => {
  const { organization, role } = useSession()
  const [make] = useState(() => cliTokenFor(organization.id))
  const write = useMutation<CliToken, ApiError>({ mutationFn: make })
  useSecretUnderWay(write.isPending)
  if (write.data !== undefined) return <MadeToken made={write.data} onClose={onClose} />
  return (
    <FormDialog
      title="New CLI token"
      lead="For docex and curl. It acts as you, so treat it as your password; programs that run by themselves get a key."
      write={write}
      verb="Create token"
      onSubmit={() => write.mutate()}
      onClose={onClose}
    >
      <dl>
        <Fact term="Organization">{organization.name}</Fact>
        <Fact term="Role">{wordsOf(role)}</Fact>
        <Fact term="Lasts">12 hours from your last sign-in or confirmation</Fact>
      </dl>
    </FormDialog>
  )
}

export default CliTokenDialog

const MadeToken = ({ made, onClose }: { made: CliToken; onClose: () => void }) => {
  const { token, expires_at } = made
  return (
    <SecretDialog
      title="CLI token"
      secret={token}
      lead={hashIsKept}
      variable="DOCEX_API_KEY"
      onClose={onClose}
    >
      <p className="mt-3 text-muted">
        It ends by itself <Time at={expires_at} />, or when you end it in this list. In a shell:
      </p>
      <Command>{`export DOCEX_BASE_URL='${location.origin}' DOCEX_API_KEY='${token}'
export DOCEX_SESSION_TOKEN="$DOCEX_API_KEY"
docex me get
curl "$DOCEX_BASE_URL/v1/me" -H "Authorization: Bearer $DOCEX_API_KEY"`}</Command>
    </SecretDialog>
  )
}
