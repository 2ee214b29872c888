/** All servers of a run share the key, so that one can decrypt and check what another wrote. */
import { randomBytes } from 'node:crypto'

export const serverKey = randomBytes(32).toString('hex')
