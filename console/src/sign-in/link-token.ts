/** The token of a link stands behind the `#`, so no log has it. */
export const tokenOf = (fragment: string): string =>
  new URLSearchParams(fragment.slice(1)).get('t') ?? ''
