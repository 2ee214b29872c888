/** The front page: where to begin. */
import type { Section } from '../blocks.ts'

export const welcome: Section = {
  id: 'welcome',
  title: 'Where to begin',
  blocks: [
    {
      kind: 'cards',
      cards: [
        {
          title: 'Quickstart',
          target: '#quickstart',
          text: 'From the first start to an approved invoice, with commands to paste.',
        },
        {
          title: 'Concepts',
          target: '#concepts',
          text: 'One record, two projections; drafts, numbers, money and conversions.',
        },
        {
          title: 'Webhooks',
          target: '#webhooks',
          text: 'Receive signed events, verify them, and miss none.',
        },
        {
          title: 'Proofs',
          target: '#provenance',
          text: 'Export a document with its history, and verify it without this service.',
        },
        {
          title: 'Tools for language models',
          target: '#mcp',
          text: 'Every operation is an MCP tool, with the rights and limits of its key.',
        },
        {
          title: 'API reference',
          target: '#reference',
          text: 'Every operation with its fields, errors and a call to paste.',
        },
      ],
    },
  ],
}
