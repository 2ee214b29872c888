/**
 * Whether an element has been in the part of the page that is shown, or the page has been there for
 * a moment: who reads with a screen reader never scrolls.
 */
import { type RefObject, useEffect, useRef, useState } from 'react'

const laterMs = 2_000

export const useInView = (): [RefObject<HTMLDivElement | null>, boolean] => {
  const element = useRef<HTMLDivElement>(null)
  const [isDue, setIsDue] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsDue(true)
    })
    observer.observe(element.current!)
    const timer = setTimeout(() => setIsDue(true), laterMs)
    return () => {
      observer.disconnect()
      clearTimeout(timer)
    }
  }, [])
  return [element, isDue]
}
