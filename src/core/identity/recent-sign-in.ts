/** How long a sign-in stands for the person: somebody else may sit at their browser later. */
import { identityLimits } from '../../contract/identity-limits.ts'

export const isRecentSignIn = (ageMs: number): boolean => ageMs < identityLimits.recentSignInMs

/** In minutes, for descriptions. */
export const recentSignInMinutes = identityLimits.recentSignInMs / 60_000
