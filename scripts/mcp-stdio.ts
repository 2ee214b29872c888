/**
 * MCP on stdio (cli/src/mcp-stdio.ts), with the credential of the environment:
 *
 *   DOCEX_API_KEY=rk_test_… DOCEX_BASE_URL=http://localhost:8080 npm run -s mcp -- \
 *     [--readonly] [--toolsets documents,payments]
 */
import { parseArgs } from 'node:util'
import { passMessages } from '../cli/src/mcp-stdio.ts'

const { values } = parseArgs({
  options: { readonly: { type: 'boolean', default: false }, toolsets: { type: 'string' } },
})
const { DOCEX_API_KEY: apiKey = '', DOCEX_BASE_URL: baseUrl = 'http://localhost:8080' } =
  process.env
if (apiKey === '') {
  process.stderr.write('DOCEX_API_KEY is not set: an API key of the service (rk_…)\n')
  process.exit(2)
}
const { readonly: isReadOnly, toolsets } = values
await passMessages({ apiKey, baseUrl, isReadOnly, toolsets }, process.stdin, process.stdout)
