/**
 * A form that shows a refusal at the fields that it names: each field says which pointers of the
 * body are its own, and what no field shows is left to the `Refusal` in the form.
 */
import {
  type ComponentProps,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { ApiError, type FieldProblem } from '../api/call.ts'
import { FormProblems, noProblems, noneShown } from './form-problems.ts'

/** What fields read; it stays the same value while they take their problems. */
const Named = createContext({
  problems: noProblems,
  take:
    (_: readonly FieldProblem[]): (() => void) =>
    () => {},
})

interface FormProps extends Omit<ComponentProps<'form'>, 'ref'> {
  /** Of the write, or of what it would be. */
  error: Error | null
}

export const Form = ({ error, onSubmit, children, ...rest }: FormProps) => {
  const form = useRef<HTMLFormElement>(null)
  const isSent = useRef(false)
  const [shown, setShown] = useState(noneShown)
  const take = useCallback((own: readonly FieldProblem[]) => {
    setShown((now) => new Set([...now, ...own]))
    return () => setShown((now) => new Set([...now].filter((one) => !own.includes(one))))
  }, [])
  const named = useMemo(
    () => ({ problems: error instanceof ApiError ? error.problems : noProblems, take }),
    [error, take],
  )
  const taken = useMemo(() => ({ error, shown }), [error, shown])
  // What a dry run refuses while one types does not take the cursor away.
  useEffect(() => {
    if (error === null || !isSent.current) return
    isSent.current = false
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  return (
    <Named value={named}>
      <FormProblems value={taken}>
        <form
          noValidate
          {...rest}
          ref={form}
          onSubmit={(event) => {
            isSent.current = true
            onSubmit?.(event)
          }}
        >
          {children}
        </form>
      </FormProblems>
    </Named>
  )
}

/** Pointers into the body; one of an object or a list has all that is in it. */
export type Params = string | readonly string[]

/** What is wrong with the fields at these pointers. Whoever asks shows it. */
export const useProblems = (params: Params | undefined): readonly FieldProblem[] => {
  const { problems, take } = useContext(Named)
  const key = params === undefined ? '' : [params].flat().join(' ')
  const own = useMemo(() => {
    const pointers = key === '' || problems.length === 0 ? [] : key.split(' ')
    return problems.filter(({ param }) =>
      pointers.some((one) => param === one || param.startsWith(`${one}/`)),
    )
  }, [problems, key])
  useLayoutEffect(() => (own.length === 0 ? undefined : take(own)), [own, take])
  return own
}
