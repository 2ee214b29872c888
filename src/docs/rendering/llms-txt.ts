/** Renders /llms.txt, an index of the docs for language models (llmstxt.org). */
import type { Operation } from '../../operations/operation.ts'
import { addressesOf, pagePath } from '../addresses.ts'
import type { Docs } from '../blocks.ts'
import { isVersioned } from '../operation-facts.ts'

export const renderLlmsTxt = (docs: Docs, operations: readonly Operation[]): string => {
  const { baseUrl } = docs
  const addresses = addressesOf(docs)
  const link = (title: string, path: string, note: string) =>
    `- [${title}](${baseUrl}${path}): ${note}`
  return [
    `# ${docs.title}`,
    '',
    `> ${docs.summary}`,
    '',
    'Every write requires an `Idempotency-Key`: a new value for each intended operation and the same value for its retries. Error messages explain what is wrong and what to send instead; `docs_url` links to the section of the error code.',
    '',
    '## Docs',
    '',
    link('Complete docs as Markdown', '/v1/docs.md', 'guide, errors, document types, reference'),
    link('Set up your shell', '/v1/docs#setup', 'the variables of all examples'),
    link('OpenAPI 3.1', '/v1/openapi.json', 'the specification of this deployment'),
    link('OpenAPI 3.1 as YAML', '/v1/openapi.yaml', 'the same specification as YAML'),
    link('Enablement', '/v1/enablement', 'the families that this deployment serves'),
    '',
    ...docs.groups.flatMap(({ title, pages }) => [
      `## ${title}`,
      '',
      ...pages.map((page) => `- [${page.title}](${baseUrl}${pagePath(page.id)}.md)`),
      '',
    ]),
    '## Operations',
    '',
    ...operations
      .filter(isVersioned)
      .map(({ id, method, path, summary }) =>
        link(id, addresses.get(id) ?? '/v1/docs', `\`${method} ${path}\`. ${summary}.`),
      ),
    '',
  ].join('\n')
}
