/** The generated modules of the SDK, by their path in sdk/src. */
import { version } from '../../src/contract/version.ts'
import type { OpenApi } from '../../src/docs/openapi/openapi-types.ts'
import { functionsModule, resourcesModule } from './methods.ts'
import { sdkOperations } from './names.ts'
import { typesModule } from './types.ts'

const header = '/** Generated from the operations by `npm run generate`: do not edit. */\n'

/** `types.ts` has every type, so a module names those that it mentions. */
const withTypes = (text: string, types: string): string => {
  const declared = [...types.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name]) => name!,
  )
  const used = declared.filter((name) => new RegExp(`(?<![\\w'.])${name}(?![\\w'])`).test(text))
  return text.replace(
    "import type * as t from './types.ts'",
    `import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './types.ts'`,
  )
}

export const sdkFiles = (document: OpenApi): Readonly<Record<string, string>> => {
  const operations = sdkOperations(document)
  const types = typesModule(document, operations)
  return {
    'generated/types.ts': header + types,
    'generated/functions.ts': header + functionsModule(operations),
    'generated/resources.ts': header + withTypes(resourcesModule(operations), types),
    'version.ts': `${header}export const sdkVersion = '${version}'\n`,
  }
}
