/** How a program saves exports; a test runs each tab. */
import type { Config } from '../../config.ts'
import { type Section, text } from '../blocks.ts'
import { curl } from '../examples/curl.ts'
import { toolTab } from '../languages/tabs.ts'

const typescript = `import { writeFile } from 'node:fs/promises'
import { Docex } from 'docex'

const docex = new Docex() // DOCEX_API_KEY and DOCEX_BASE_URL
const { DOCUMENT_ID = '' } = process.env
const pdf = await docex.documents.render(DOCUMENT_ID, { format: 'pdf' })
await writeFile('invoice.pdf', pdf as Uint8Array)
const csv = await docex.documents.render(DOCUMENT_ID, { format: 'csv' })
await writeFile('invoice.csv', csv as string)`

const python = `from os import environ
from pathlib import Path

from docex import Docex

docex = Docex()  # DOCEX_API_KEY and DOCEX_BASE_URL
pdf = docex.documents.render(environ["DOCUMENT_ID"], format="pdf")
assert isinstance(pdf, bytes)
Path("invoice.pdf").write_bytes(pdf)
csv = docex.documents.render(environ["DOCUMENT_ID"], format="csv")
assert isinstance(csv, str)
Path("invoice.csv").write_text(csv, encoding="utf-8", newline="")`

const commands = `docex documents render $DOCUMENT_ID --format pdf > invoice.pdf
docex documents render $DOCUMENT_ID --format csv > invoice.csv`

/** A PDF comes back as a resource, every other format as a text. */
const toolCall = { name: 'documents_render', arguments: { id: '$DOCUMENT_ID', format: 'pdf' } }

export const fetchedExports = ({ baseUrl }: Config): Section => {
  const saved = (format: string, file: string): string => {
    const url = `${baseUrl}/v1/documents/$DOCUMENT_ID/render?format=${format}`
    const command = curl({ method: 'GET', url, credential: 'API_KEY' })
    return command.replace('curl ', `curl -f -o ${file} `)
  }
  const commandsOfCurl = [saved('pdf', 'invoice.pdf'), saved('csv', 'invoice.csv')].join('\n')
  return {
    id: 'fetched-exports',
    title: 'A PDF and a CSV',
    blocks: [
      text(
        'A PDF is bytes, and every other format a text. The profiles of a practice pair are empty: PDF and CSV need nothing of them, while UBL and CII of an invoice do.',
      ),
      {
        kind: 'tabs',
        tabs: [
          { label: 'curl', language: 'sh', text: commandsOfCurl },
          { label: 'TypeScript', language: 'ts', text: typescript },
          { label: 'Python', language: 'python', text: python },
          { label: 'CLI', language: 'sh', text: commands },
          { label: toolTab, language: 'json', text: JSON.stringify(toolCall, null, 2) },
        ],
      },
    ],
  }
}
