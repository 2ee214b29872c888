/** What stands behind the `#` of a link, so that no log has it. */
import type { AskedFactor } from '../api/sign-in.ts'

/** The token of the link. */
export const tokenOf = (fragment: string): string =>
  new URLSearchParams(fragment.slice(1)).get('t') ?? ''

/** What the person can show as the second factor. */
export const factorMethodsOf = (fragment: string): AskedFactor['methods'] =>
  (new URLSearchParams(fragment.slice(1)).get('methods') ?? 'totp').split(
    ',',
  ) as AskedFactor['methods']
