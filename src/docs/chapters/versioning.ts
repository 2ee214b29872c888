/** The version of the API, and what each version added. */
import { deprecationMinMonths } from '../../contract/deprecation.ts'
import { changelog, version } from '../../contract/version.ts'
import { type Section, codeSpan, table, text } from '../blocks.ts'

export const versioning: Section = {
  id: 'versioning',
  title: 'Versioning',
  blocks: [
    text(
      `The current version of the API is ${version}. Within \`/v1\` the API only grows: new fields, operations, codes and enumeration values raise the version, and nothing is removed or renamed. Every response names the version that produced it in \`Svc-Api-Version\`. The reference states the version that introduced each operation.`,
    ),
    text(
      `What has become superfluous is deprecated: it works on as long as \`/v1\` is served, and for at least ${deprecationMinMonths} months. The reference says what to use instead, and every response of a deprecated operation carries \`Deprecation\` (RFC 9745: since when), \`Sunset\` (RFC 8594: until when at least) and a \`Link\` with \`rel="deprecation"\`.`,
    ),
  ],
}

export const changes: Section = {
  id: 'changelog',
  title: 'Changelog',
  blocks: [
    text(
      'A date is the first day on which this program served a version. Versions without one are older than the program, which has all that they list.',
    ),
    table(
      ['Version', 'Since', 'Change'],
      changelog.map(({ version: number, since = '–', change }) => [
        codeSpan(number),
        since,
        change,
      ]),
    ),
  ],
}
