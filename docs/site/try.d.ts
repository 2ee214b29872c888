/** What a page says of the call that a reader can make. */
export interface TriedCall {
  id: string
  method: string
  path: string
  values: Readonly<Record<string, string>>
  query?: string
  body?: Readonly<Record<string, unknown>>
  takesFile?: true
  credential?: 'key' | 'session'
}

export declare const openPanel: (place: HTMLElement, call: TriedCall) => void
