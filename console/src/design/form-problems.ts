/** What the fields of a form show of its refusal. Every page has refusals, and few have a form. */
import { createContext, useContext } from 'react'
import type { ApiError, FieldProblem } from '../api/call.ts'

export const noProblems: readonly FieldProblem[] = []
export const noneShown: ReadonlySet<FieldProblem> = new Set()

export const FormProblems = createContext<{
  error: Error | null
  shown: ReadonlySet<FieldProblem>
}>({ error: null, shown: noneShown })

/** What no field of the form shows. */
export const useOtherProblems = (error: ApiError | undefined): readonly FieldProblem[] => {
  const { error: ofForm, shown } = useContext(FormProblems)
  const problems = error?.problems ?? noProblems
  return error === ofForm ? problems.filter((one) => !shown.has(one)) : problems
}
