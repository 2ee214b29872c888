/** Refuses a scenario that the demo counterparty does not know (domain 6). */
import type { DocumentTypeName } from '../../contract/document-types.ts'
import type { Problem } from '../../contract/problem.ts'
import { closestMatch } from '../../core/did-you-mean.ts'
import { scenariosOf } from '../../core/sandbox/demo-counterparty.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { DocumentRow } from '../change-context.ts'
import { typeWithArticle } from '../../core/documents/type-names.ts'

/** For any other counterparty, `sandbox_scenario` is a reference like any other. */
export const requestedScenarioProblems = (
  unit: UnitOfWork,
  { type, counterparty_id }: Pick<DocumentRow, 'type' | 'counterparty_id'>,
  refs: Readonly<Record<string, string>> | undefined,
): Problem[] =>
  unit.get('organizations', counterparty_id)?.is_demo === true
    ? scenarioProblems(
        type as DocumentTypeName,
        refs?.['sandbox_scenario'],
        '/external_refs/sandbox_scenario',
      )
    : []

export const scenarioProblems = (
  type: DocumentTypeName,
  scenario: string | undefined,
  param: string,
): Problem[] => {
  const scenarios = scenariosOf(type)
  if (scenario === undefined || scenarios.length === 0 || scenarios.includes(scenario)) return []
  const suggestion = closestMatch(scenario, scenarios)
  const didYouMean = suggestion === undefined ? '' : `did you mean ${suggestion}? `
  return [
    {
      param,
      code: 'invalid_value',
      message: `${JSON.stringify(scenario)} is not a scenario of ${typeWithArticle(type)}.`,
      fix: `${didYouMean}send one of ${scenarios.join(', ')}`,
    },
  ]
}
