/** What a call returns: a promise of the data, which also has the rest of the response. */

export interface ApiResponse<T> {
  data: T
  /** The answer as it arrived, for what is hashed or signed. */
  bytes: Uint8Array
  status: number
  requestId: string
  headers: Headers
  /** The stored response of an earlier attempt of the same write. */
  replayed: boolean
}

export class ApiPromise<T> extends Promise<T> {
  readonly #response: Promise<ApiResponse<T>>

  constructor(response: Promise<ApiResponse<T>>) {
    super((resolve, reject) => {
      response.then(({ data }) => resolve(data), reject)
    })
    this.#response = response
  }

  /** `then` makes ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** The data with the status, headers and id of the request. */
  withResponse(): Promise<ApiResponse<T>> {
    this.catch(() => undefined)
    return this.#response
  }
}
