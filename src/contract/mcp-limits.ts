/** Limits of the MCP server (clients 1). */
export const mcpLimits = {
  /** Characters that keep a tool at about 200 tokens, and the largest below 400. */
  toolDescriptionMaxLength: 300,
  toolSchemaMaxLength: 1_100,
  /** This many of the longest comments take about 6,000 tokens. */
  toolPageCommentsDefault: 10,
  /** One body of an operation, with room for the envelope; larger files are uploaded over HTTP. */
  mcpBodyMaxBytes: 2 * 1024 * 1024,
  /** Read while the caller is looked up; larger ones afterwards. */
  mcpEarlyBodyMaxBytes: 16 * 1024,
  /** Those of one body (`jsonMaxKeys`), with room for the envelope, in each message. */
  mcpKeysMax: 5_100,
  /** Messages in one batch of a client of 2025-03-26. */
  mcpMessagesMax: 10,
} as const
