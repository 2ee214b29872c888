/** How a language model uses the service: the MCP server and its tools. */
import type { Config } from '../../config.ts'
import { approvalLimits } from '../../contract/approval-limits.ts'
import { type Section, code, json, list, text } from '../blocks.ts'
import { durationText } from './duration.ts'

export const mcp = ({ baseUrl }: Config): Section => ({
  id: 'mcp',
  title: 'Tools for language models (MCP)',
  blocks: [
    text(
      `\`POST ${baseUrl}/mcp\` is a Model Context Protocol server (Streamable HTTP). Every operation is a tool: \`documents.create\` is \`documents_create\`. It takes the same keys, and a tool call has the checks, limits and effects of the HTTP request.`,
    ),
    code(
      'sh',
      [
        `curl ${baseUrl}/mcp -H "Authorization: Bearer $API_KEY" \\`,
        "  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\",
        `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"me_get","arguments":{}}}'`,
      ].join('\n'),
    ),
    text('A client on your machine has it in its settings, most of them in this form:'),
    json({
      mcpServers: {
        docex: {
          type: 'http',
          url: `${baseUrl}/mcp`,
          headers: { Authorization: 'Bearer <API_KEY>' },
        },
      },
    }),
    list(
      'Arguments are flat: path, query and body together. Every write requires `idempotency_key` and accepts `dry_run`.',
      'The tools are those that the scopes of the key allow. `/mcp/readonly` has only reads; `/mcp/x/documents,payments` only these toolsets, with the shapes of their responses; `/mcp/readonly/x/documents` both. Nothing but the path narrows them: a query is refused. The toolsets are the families, `sandbox` and `developer`.',
      '`tools_explain` says why a tool is missing, and what would change that.',
      'What a key pays is limited by its `payment_limits`. A key with payments:write, and with neither them nor `requires_approval` or `requires_approval_above`, gets no tool that pays or binds to pay; `finance_offers_create` is one that binds. Nobody decides on an [approval](#approvals) over MCP, not even with a session.',
      `A call that needs an [approval](#approvals) is refused with \`approval_required\`. A client of the revision 2026-07-28 with the capability \`elicitation.url\` gets \`input_required\` instead: it shows a person the page of the approval in the console, and sends the call again with the \`requestState\`. The answer is the result once another person has approved, \`input_required\` while nobody has decided, and the refusal if it was declined, has expired or is stale, if the page was dismissed, or after ${approvalLimits.requestStateRoundsMax} rounds. What a client answers approves nothing. A \`requestState\` works once, for ${durationText(approvalLimits.requestStateLifetimeMs)}, for its key and its arguments; afterwards, send the call again without it.`,
      'The result is the response of the API, byte by byte; an error has `isError` and the whole envelope. Lists show a summary of each row unless `fields` names others.',
      'A client on stdio runs [`docex mcp`](#libraries-command-line) with the profile in use, or with `DOCEX_API_KEY` and `DOCEX_BASE_URL` in its environment; `--readonly` and `--toolsets documents,payments` narrow it. In the folder of the service, `npm run -s mcp` does the same.',
      'A file in `attachments_create` is base64 of at most about 1.5 MB; upload larger ones over HTTP. A key with `signing_key` can only read, since its signature covers one HTTP request.',
    ),
  ],
})
