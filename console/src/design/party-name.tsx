/** The other side of a connection. */
import { usePartyName } from '../api/parties.ts'

export const PartyName = ({ connection }: { connection: string }) => (
  <bdi className="wrap-anywhere">{usePartyName(connection) ?? '…'}</bdi>
)
