/**
 * Puts the focus into a dialog in the moment it is there. Base UI would do so a frame later, and a
 * key that is pressed before would go to the page behind it. What is foremost comes before all
 * fields.
 */
export const focusFirst = (popup: HTMLElement | null): false => {
  const foremost = popup?.querySelector<HTMLElement>('[data-foremost]')
  const field = popup?.querySelector<HTMLElement>('[data-first], input, select, textarea')
  // What is foremost stays in sight, and what stands above it is read first.
  if (foremost) foremost.focus({ preventScroll: true })
  else (field ?? popup)?.focus()
  return false
}
