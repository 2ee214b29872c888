/** Limits of search (contract 8). A part of `limits`. */
export const searchLimits = {
  searchQueryMaxLength: 200,
  searchQueryMaxWords: 10,
  searchResultsMax: 50,
  searchResultsDefault: 20,
  /** The newest connections, keys or endpoints that one search compares. */
  searchOtherRecordsMax: 500,
  /** Pages of the document list that one search reads, as any of them may be short. */
  searchPagesMax: 4,
  searchWordMaxLength: 40,
  /**
   * Words made of the different texts without blanks of a document, and of at most 127 bytes each
   * with their bucket: PostgreSQL takes more than a megabyte for an entry, and garbles it.
   */
  searchWordsMax: 8_000,
  /** Counterparty names that are compared with a misspelt word. */
  searchNamesMax: 5_000,
  /** Feed positions per bucket of the index. */
  searchBucketPositions: 32_768,
  /** Buckets that one page searches for rare words; the next page continues below them. */
  searchBucketsPerPage: 32,
  /** Positions that one page searches when every word is common, by intersecting their matches. */
  searchCommonPositionsPerPage: 16_384,
  /** Buckets per query. */
  searchBucketsAtOnce: 16,
  /** A query that matches more entries than this is split into one query per bucket. */
  searchRunEntriesMax: 2_000,
  /** Newest entries that are matched one by one before the index is queried. */
  searchNewestEntries: 400,
  /** Unindexed documents that one page scans. */
  searchUnindexedMax: 500,
  /** An organization is indexed once it has this many unindexed changes. */
  searchIndexMinChanges: 20,
  searchIndexOrganizationsPerRound: 50,
  searchIndexPositionsPerRound: 200,
  searchIndexEveryMs: 2_000,
} as const
