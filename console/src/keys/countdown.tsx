/** What is left of a time, to the second. */
import { useEffect, useState } from 'react'
import { serviceNow } from '../api/service-clock.ts'

export const Countdown = ({ until }: { until: string }) => {
  const [now, setNow] = useState(serviceNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.floor((Date.parse(until) - now) / 1000))
  // A timer is not announced each second.
  return (
    <span role="timer" className="tabular whitespace-nowrap">
      {seconds === 0 ? 'over' : `${clockText(seconds)} left`}
    </span>
  )
}

const clockText = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
