/** A call as one would make it in a terminal, with a key of one's own. */
interface CurlCall {
  method?: string
  /** With its query. */
  url: string
}

/** What a write has sent is kept nowhere, so its body is for the person to fill in. */
export const curlOf = ({ method = 'GET', url }: CurlCall): string =>
  [
    ...['curl', ...(method === 'GET' ? [] : ['-X', method]), `'${location.origin}${url}'`],
    `-H "Authorization: Bearer $DOCEX_API_KEY"`,
    ...(method === 'GET' ? [] : [`-H "Idempotency-Key: $(uuidgen)"`]),
    ...(['GET', 'DELETE'].includes(method)
      ? []
      : [`-H 'Content-Type: application/json'`, '-d @body.json']),
  ].join(' ')
