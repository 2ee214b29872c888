/** The scopes of a new key: those of a use at once, or each by itself. */
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Enablement, Scope } from '../api/types.ts'
import { CheckField } from '../design/field.tsx'
import { grantRefusal } from './key-form.ts'
import { areSameScopes, presets, scopeTexts } from './scope-texts.ts'

export type ScopeRefusals = Readonly<Partial<Record<Scope, string>>>

/** Why a scope cannot be given; those that can are absent. */
export const useScopeRefusals = (): ScopeRefusals => {
  const session = useSession()
  const { data } = useRead<Enablement>('/v1/enablement', {}, { refetchEveryMs: false })
  return Object.fromEntries(
    scopeTexts.flatMap(([scope]) => {
      const refusal = grantRefusal(scope, session, data?.families)
      return refusal === undefined ? [] : [[scope, refusal]]
    }),
  )
}

interface ScopesProps {
  /** None of those that are refused. */
  scopes: readonly Scope[]
  refusals: ScopeRefusals
  onChange: (scopes: readonly Scope[]) => void
}

export const Scopes = ({ scopes, refusals, onChange }: ScopesProps) => (
  <fieldset>
    <legend className="mb-1 text-sm font-medium">Scopes</legend>
    <div className="flex flex-wrap gap-2 pb-1">
      {Object.entries(presets).map(([name, preset]) => {
        const given = preset.scopes.filter((scope) => refusals[scope] === undefined)
        const isChosen = areSameScopes(scopes, given)
        return (
          <button
            key={name}
            type="button"
            aria-pressed={isChosen}
            onClick={() => onChange(given)}
            className={`h-8 rounded-full border px-3 text-sm max-md:h-9 ${isChosen ? 'border-accent bg-accent-tint font-medium text-accent' : 'border-edge bg-raised hover:bg-hover'}`}
          >
            {preset.title}
          </button>
        )
      })}
    </div>
    <div className="grid gap-x-4 sm:grid-cols-2">
      {scopeTexts.map(([scope, text]) => (
        <CheckField
          key={scope}
          label={scope}
          hint={text}
          refusal={refusals[scope]}
          checked={scopes.includes(scope)}
          onChange={({ target }) =>
            onChange(
              target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope),
            )
          }
        />
      ))}
    </div>
  </fieldset>
)
