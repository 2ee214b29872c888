/**
 * A script for a page: the service does what the writes whose path ends like this ask for, and the
 * page hears nothing of it, or half of an answer, until `losesAnswers` is false.
 */
export const losingAnswersOf = (ending: string): string => `{
  const own = globalThis.fetch
  let lost = 0
  globalThis.fetch = async (url, options) => {
    const response = await own(url, options)
    const isDryRun = new Headers(options?.headers).has('svc-dry-run')
    if (isDryRun || !String(url).endsWith('${ending}')) return response
    if (globalThis.losesAnswers === false) return response
    lost += 1
    if (lost === 1) throw new TypeError('the answer is lost')
    const { status, headers } = response
    const body = new ReadableStream({ start: (one) => one.error(new TypeError('it breaks off')) })
    return new Response(body, { status, headers })
  }
}`
