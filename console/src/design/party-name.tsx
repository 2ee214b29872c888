/** The other side of a connection. */
import { usePartyName } from '../api/parties.ts'

export const PartyName = ({ connection }: { connection: string }) => (
  <bdi>{usePartyName(connection) ?? '…'}</bdi>
)
