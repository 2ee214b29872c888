/** A section of the docs, as the search index has it. */
export interface Entry {
  title: string
  page: string
  address: string
  text: string
  names?: readonly string[]
  words?: readonly string[]
}

export interface Found extends Entry {
  excerpt: string
}

export declare const find: (entries: readonly Entry[], query: string) => Found[]
