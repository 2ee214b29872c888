/** The text of a field that the address follows. */
import { useEffect, useRef, useState } from 'react'

/**
 * What one types goes to the address and comes back a moment later: by then one may have typed on,
 * and that is kept. Whatever else the address says, as after going back, replaces the text.
 */
export const useTypedText = (value: string) => {
  const [text, setText] = useState(value)
  const sent = useRef<string[]>([])
  useEffect(() => {
    const place = sent.current.indexOf(value)
    if (place < 0) setText(value)
    sent.current.splice(0, place < 0 ? sent.current.length : place + 1)
  }, [value])
  return { text, setText, markSent: (typed: string) => void sent.current.push(typed) }
}
