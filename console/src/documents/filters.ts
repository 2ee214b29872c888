/** The filters of the documents list, as the address says them. Every page loads this file. */
const names = [
  ...(['view', 'query', 'type', 'status', 'connection', 'since', 'until'] as const),
  ...(['currency', 'due_from', 'due_to'] as const),
]

export type DocumentFilters = Partial<Record<(typeof names)[number], string>>

export const documentFiltersOf = (search: Record<string, unknown>): DocumentFilters =>
  Object.fromEntries(
    names.flatMap((name) =>
      search[name] === undefined || search[name] === '' ? [] : [[name, String(search[name])]],
    ),
  )
