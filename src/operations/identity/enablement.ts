/** The families that the deployment serves, and since which version each exists. */
import { families, familyNames } from '../../contract/families.ts'
import { Enablement } from '../../contract/shapes/account.ts'
import { version } from '../../contract/version.ts'
import { operation } from '../operation.ts'

export const enablement = operation({
  id: 'enablement.get',
  method: 'GET',
  path: '/v1/enablement',
  family: 'enablement',
  summary: 'Retrieve the enabled families',
  since: '1.1.0',
  allowed: 'public',
  response: Enablement,
}).answersPublic(async ({ config }) => ({
  body: {
    api_version: version,
    mode: 'both',
    families: Object.fromEntries(
      familyNames.map((family) => [
        family,
        { enabled: config.families.has(family), since_version: families[family].since },
      ]),
    ),
  },
}))
