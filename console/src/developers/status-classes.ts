/** The statuses of the service by their class, as the filter of the request log takes them. */
export const statusClasses = {
  '4xx': '400,401,403,404,405,406,409,410,412,413,415,422,428,429,431',
  '5xx': '500,501,502,503,504',
} as const

/** What they mean to the caller. */
export const statusWords = { '4xx': 'Refused (4xx)', '5xx': 'Failed (5xx)' } as const
