/**
 * Nothing is removed from `/v1`: what is deprecated works on as long as that is served, and says so
 * in every response: since when (RFC 9745), until when at least (RFC 8594), and where the docs tell
 * what to use instead.
 */

/** At least so many months lie between the two days. */
export const deprecationMinMonths = 12

export interface Deprecation {
  /** The day, such as `2027-01-31`. */
  since: string
  /** The first day on which it may be gone, together with `/v1`. */
  sunset: string
  /** What to use instead, as a sentence of the docs. */
  advice: string
}

export const deprecationHeaders = (
  { since, sunset }: Deprecation,
  docsUrl: string,
): readonly string[] => [
  'Deprecation',
  `@${Date.parse(since) / 1000}`,
  'Sunset',
  new Date(sunset).toUTCString(),
  'Link',
  `<${docsUrl}>; rel="deprecation"; type="text/html"`,
]

export const deprecationText = ({ since, sunset, advice }: Deprecation): string =>
  `**Deprecated** since ${since}; it works until ${sunset} at least. ${advice}`
