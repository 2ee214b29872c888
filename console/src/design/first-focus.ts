/**
 * Puts the focus into a dialog in the moment it is there. Base UI would do so a frame later, and a
 * key that is pressed before would go to the page behind it. What is foremost comes before all
 * fields.
 */
export const focusFirst = (popup: HTMLElement | null): false => {
  const field =
    popup?.querySelector<HTMLElement>('[data-foremost]') ??
    popup?.querySelector<HTMLElement>('[data-first], input, select, textarea')
  ;(field ?? popup)?.focus()
  return false
}
