/** The ways to sign in beside the password, as far as this deployment has them. */
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type SignInMethods, signInMethods } from '../api/sign-in-methods.ts'
import { buttonClass } from '../design/button.tsx'

export const OtherWays = ({ to }: { to: string | undefined }) => {
  const [methods, setMethods] = useState<SignInMethods | null>(null)
  useEffect(() => {
    // Without an answer, the password is still there.
    signInMethods().then(setMethods, () => undefined)
  }, [])
  if (methods === null) return null
  const { oidc, magic_link: magicLink } = methods
  const query = to === undefined ? '' : `?to=${encodeURIComponent(to.replace(/^\/app/, ''))}`
  return (
    <div className="mt-4 grid gap-2">
      {oidc.map(({ id, name }) => (
        <a key={id} href={`/auth/oidc/${id}/start${query}`} className={buttonClass()}>
          Sign in with {name}
        </a>
      ))}
      {magicLink !== null && (
        <Link to="/sign-in/link" className={buttonClass()}>
          Send me a link
        </Link>
      )}
    </div>
  )
}
