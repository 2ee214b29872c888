/** Requests that the service has sent, as commands. */
import { quoted } from '../api/curl.ts'

/** A request that the service has sent, as anybody could send it again. */
export const requestAsCurl = (sent: {
  url: string
  headers: Record<string, string>
  body: string
}): string =>
  [
    `curl -X POST ${quoted(sent.url)}`,
    ...Object.entries(sent.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(sent.body)}`,
  ].join(' ')
