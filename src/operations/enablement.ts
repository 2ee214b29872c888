/** The families that the deployment serves, and since which version each exists. */
import { Type } from 'typebox'
import { families, familyNames } from '../contract/families.ts'
import { OutputObject } from '../contract/shapes/objects.ts'
import { StringEnum } from '../contract/shapes/field-types.ts'
import { version } from '../contract/version.ts'
import { operation } from './operation.ts'

const FamilyState = OutputObject(
  { enabled: Type.Boolean(), since_version: Type.String() },
  'Whether this deployment serves the family, and the version that introduced it.',
)

export const enablement = operation({
  id: 'enablement.get',
  method: 'GET',
  path: '/v1/enablement',
  family: 'enablement',
  summary: 'Retrieve the enabled families',
  since: '1.1.0',
  allowed: 'public',
  response: OutputObject(
    {
      api_version: Type.String(),
      mode: StringEnum(
        ['sandbox', 'live', 'both'],
        'The kinds of organizations that the deployment serves.',
      ),
      families: OutputObject(
        Object.fromEntries(familyNames.map((family) => [family, FamilyState])),
        'The families.',
      ),
    },
    'What this deployment serves.',
  ),
}).answersPublic(async ({ config }) => ({
  body: {
    api_version: version,
    mode: 'both',
    families: Object.fromEntries(
      familyNames.map((family) => [
        family,
        {
          enabled: families[family].built && config.families.has(family),
          since_version: families[family].since,
        },
      ]),
    ),
  },
}))
