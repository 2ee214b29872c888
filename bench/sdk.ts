/** The time that the SDK for TypeScript adds to a call, beside the same call with fetch alone. */
import { Docex } from '../sdk/src/index.ts'
import { type Compare, median } from './bench-server.ts'

interface SdkWorkload {
  key: string
  /** Of each kind in a round. */
  calls: number
  compare: Compare
  isSelected(name: string): boolean
}

/** Calls take turns, so that what else the machine does slows both alike. */
export const compareSdk = async (
  port: number,
  { key, calls, compare, isSelected }: SdkWorkload,
): Promise<void> => {
  if (!isSelected('sdk.call')) return
  const baseUrl = `http://127.0.0.1:${port}`
  const docex = new Docex({ apiKey: key, baseUrl })
  const { data } = await docex.documents.list({ limit: 1 })
  const { id } = data[0]!
  const url = `${baseUrl}/v1/documents/${id}`
  const headers = { Authorization: `Bearer ${key}` }
  const bare = async () => (await fetch(url, { headers })).json()
  const withSdk = () => docex.documents.get(id)
  const addedMs = async (): Promise<number> => {
    const [sdkMs, bareMs]: [number[], number[]] = [[], []]
    for (let i = 0; i < calls; i += 1) {
      sdkMs.push(await timed(withSdk))
      bareMs.push(await timed(bare))
    }
    return median(sdkMs) - median(bareMs)
  }
  // Code that has not been compiled yet is not what a program runs for long.
  await addedMs()
  await compare('sdk.call', 'ms', addedMs, async () => 0.2)
}

const timed = async (call: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await call()
  return performance.now() - started
}
