/** All pages that the service answers with its settings. */
import type { Config } from '../../config.ts'
import { consolePage } from './console.ts'
import { docsPages } from './docs.ts'
import { filePage } from './file-download.ts'
import { healthPages } from './health.ts'
import { mcpPages } from './mcp.ts'
import { oidcPages } from './oidc.ts'
import type { Page } from './page.ts'
import { processorWebhook } from './processor-webhook.ts'
import { unsubscribePages } from './unsubscribe.ts'

export const allPages = (config: Config): readonly Page[] => [
  ...docsPages,
  ...mcpPages,
  filePage,
  ...oidcPages,
  ...unsubscribePages,
  consolePage(config.consoleDir),
  ...healthPages(config),
  ...(config.stripe === undefined ? [] : [processorWebhook]),
]
