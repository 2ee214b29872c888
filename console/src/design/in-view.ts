/**
 * Whether an element has been in the part of the page that is shown, or the page has been there for
 * a moment: who reads with a screen reader never scrolls. Where reading it at once would be too much
 * with all the rest, it waits for a sign of the person, and a button in its place is another way.
 */
import { type RefObject, useEffect, useRef, useState } from 'react'

const laterMs = 2_000
const signs = ['pointermove', 'pointerdown', 'keydown', 'scroll'] as const

export const useInView = (
  waitsForPerson = false,
): [RefObject<HTMLDivElement | null>, boolean, () => void] => {
  const element = useRef<HTMLDivElement>(null)
  const [isDue, setIsDue] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsDue(true)
    })
    const observe = () => observer.observe(element.current!)
    if (waitsForPerson) for (const sign of signs) addEventListener(sign, observe, { once: true })
    else observe()
    const timer = waitsForPerson ? undefined : setTimeout(() => setIsDue(true), laterMs)
    return () => {
      observer.disconnect()
      for (const sign of signs) removeEventListener(sign, observe)
      clearTimeout(timer)
    }
  }, [waitsForPerson])
  return [element, isDue, () => setIsDue(true)]
}
