/** Where the way through an identity provider ends: in the console, or with what went wrong. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type Session, beginSession, currentSession } from '../api/session.ts'
import { type AskedFactor, signInWithCode } from '../api/sign-in.ts'
import { buttonClass } from '../design/button.tsx'
import { CodeForm } from './code-form.tsx'
import { factorMethodsOf, tokenOf } from './link-token.ts'
import { explained } from './provider-problems.ts'

const route = getRouteApi('/signed-in')

const SignedInPage = () => {
  const { to, problem: told } = route.useSearch()
  const navigate = useNavigate()
  const [asked] = useState<AskedFactor>(() => ({
    mfa_token: tokenOf(location.hash),
    methods: factorMethodsOf(location.hash),
  }))
  const [problem, setProblem] = useState(told ?? null)
  const enter = async ({ organization }: Session) => {
    if (to?.startsWith('/o/') === true) await navigate({ href: to, replace: true })
    else await navigate({ to: '/o/$org', params: { org: organization.id }, replace: true })
  }
  useEffect(() => {
    if (problem !== null || asked.mfa_token !== '') return
    void beginSession().then((renewal) => {
      if (renewal === 'renewed') return enter(currentSession()!)
      if (renewal === 'ended') return setProblem('not_begun')
      // The page behind it waits for the service.
      return navigate({ href: to?.startsWith('/o/') === true ? to : '/', replace: true })
    })
  }, [])
  return (
    <main className="mx-auto w-full max-w-[25rem] px-6 py-16">
      {problem !== null ? (
        <Problem problem={problem} to={to} />
      ) : asked.mfa_token === '' ? (
        <h1 className="text-2xl font-semibold tracking-tight">Signing in…</h1>
      ) : (
        <CodeForm
          lead="The provider has signed you in."
          methods={asked.methods}
          byCode={(code) => signInWithCode(asked, code)}
          onSignedIn={enter}
        />
      )}
    </main>
  )
}

export default SignedInPage

const Problem = ({ problem, to }: { problem: string; to: string | undefined }) => {
  const { title, advice } = explained(problem)
  useEffect(() => {
    document.title = `${title} · Document Exchange`
  }, [title])
  return (
    <div role="alert">
      <img src="/app/icon.svg" alt="" width="36" height="36" />
      <h1 className="mt-5 text-2xl font-semibold tracking-tight">{title}</h1>
      <p className="mt-1 text-muted">{advice}</p>
      <div className="mt-6 grid">
        <Link
          to="/sign-in"
          search={to === undefined ? {} : { to: `/app${to}` }}
          className={buttonClass('primary')}
        >
          To the sign-in
        </Link>
      </div>
    </div>
  )
}
