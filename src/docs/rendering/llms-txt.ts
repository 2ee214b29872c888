/** /llms.txt: where a language model finds what (llmstxt.org). */
import type { Operation } from '../../operations/operation.ts'
import type { Docs } from '../blocks.ts'

export const renderLlmsTxt = (docs: Docs, operations: readonly Operation[]): string => {
  const { baseUrl } = docs
  const link = (title: string, path: string, note: string) =>
    `- [${title}](${baseUrl}${path}): ${note}`
  return [
    `# ${docs.title}`,
    '',
    `> ${docs.summary}`,
    '',
    'Every write needs an `Idempotency-Key`: a fresh value per intention, the same value for its retries. Errors name what is wrong and what to send instead; `docs_url` leads to their section.',
    '',
    '## Docs',
    '',
    link('All of the docs as Markdown', '/v1/docs.md', 'guide, errors, document types, reference'),
    link('OpenAPI 3.1', '/v1/openapi.json', 'exactly what this deployment serves'),
    link('OpenAPI 3.1 as YAML', '/v1/openapi.yaml', 'the same'),
    link('What is switched on', '/v1/enablement', 'the families that this deployment serves'),
    '',
    '## Sections',
    '',
    ...docs.sections.map(({ id, title }) => `- [${title}](${baseUrl}/v1/docs#${id})`),
    '',
    '## Operations',
    '',
    ...operations
      .filter(({ isUnversioned }) => isUnversioned !== true)
      .map(({ id, method, path, summary }) =>
        link(id, `/v1/docs#${id}`, `\`${method} ${path}\`. ${summary}.`),
      ),
    '',
  ].join('\n')
}
