/** Days as the API writes them. */
const dayMs = 86_400_000

export const daysLater = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/** The first days of all weeks of a range; they begin on Monday. */
export const weeksOf = ({ from, to }: { from: string; to: string }): string[] => {
  const weeks: string[] = []
  const first = daysLater(from, -((new Date(from).getUTCDay() + 6) % 7))
  for (let week = first; week <= to; week = daysLater(week, 7)) weeks.push(week)
  return weeks
}
