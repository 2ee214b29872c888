/** The form of an example, and the ids that all examples share. */

/** How an operation is called, and its response; a part that is not shown is left out. */
export interface Example {
  query?: string
  body?: object
  response?: unknown
}

export const page = (row: object) => ({ data: [row], next_cursor: null, has_more: false })

export const exampleIds = {
  issuer: 'org_01kbm9qx4ne8vtrcd8dmsn6b2k',
  counterparty: 'org_01kbm9r1c5fyasm1b6h00qvw3e',
  connection: 'con_01kbm9s2y8f7tbn1w5q0c4x6rz',
  document: 'doc_01kbm9s346q3d25vt4f5v37e3s',
  creditNote: 'doc_01kbnp2d7ce3tbr5c8x0v9m4qa',
  attachment: 'att_01kbm9v7qnf3b8m0p7w2rj4dts',
  key: 'key_01kbm9tw60e6qt0hxq0nc3k5jd',
  replacement: 'key_01kbnfz8b2f0mafrb3h1f8s7gw',
  request: 'req_01kbm9tcd0fzn8e4h1m9yq2v5x',
} as const

/** The value of the header `Svc-Event`. */
export const exampleReceipt = `${'3f'.repeat(32)} 2 ${'5d'.repeat(32)}`
