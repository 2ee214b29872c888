/**
 * MCP on stdio (cli/src/mcp-stdio.ts), with the credential of the environment:
 *
 *   DOCEX_API_KEY=rk_test_… DOCEX_BASE_URL=http://localhost:8080 npm run -s mcp -- \
 *     [--readonly] [--toolsets documents,payments]
 */
import { parseArgs } from 'node:util'
import { exitOnBrokenOutput } from '../cli/src/broken-output.ts'
import { passMessages } from '../cli/src/mcp-stdio.ts'
import { isHeaderText } from '../cli/src/profiles.ts'

const { values } = parseArgs({
  options: { readonly: { type: 'boolean', default: false }, toolsets: { type: 'string' } },
})
// Without `--`, npm keeps the options to itself, and all tools would be offered.
const { npm_config_read_only, npm_config_toolsets } = process.env
if (npm_config_read_only !== undefined || npm_config_toolsets !== undefined) {
  process.stderr.write('Write -- before the options: npm run -s mcp -- --readonly\n')
  process.exit(2)
}
const { DOCEX_API_KEY, DOCEX_BASE_URL: baseUrl = 'http://localhost:8080' } = process.env
const apiKey = (DOCEX_API_KEY ?? '').trim()
// The error of a header that cannot be sent would show the key to the model.
if (apiKey === '' || !isHeaderText(apiKey)) {
  const what = apiKey === '' ? 'is not set' : 'has characters that no key has'
  process.stderr.write(`DOCEX_API_KEY ${what}: an API key of the service (rk_…)\n`)
  process.exit(2)
}
process.stdout.on('error', exitOnBrokenOutput)
const { readonly: isReadOnly, toolsets } = values
await passMessages({ apiKey, baseUrl, isReadOnly, toolsets }, process.stdin, process.stdout)
