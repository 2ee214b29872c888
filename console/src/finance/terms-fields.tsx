/** The terms of a loan as they are typed: what is paid out, what it costs, and the days of grace. */
import type { LoanTerms, LoanTermsInput } from '../api/types.ts'
import { TextField } from '../design/field.tsx'
import { SelectField } from '../design/select-field.tsx'
import { doubtOf, numberOf, shiftedText, typedNumber } from '../design/typed-numbers.ts'

export interface TypedTerms {
  principal: string
  feeType: 'bps' | 'flat'
  /** In percent, or in the currency of the invoice. */
  fee: string
  graceDays: string
}

export const initialTerms: TypedTerms = { principal: '', feeType: 'bps', fee: '2', graceDays: '7' }

export const typedTerms = ({ principal, fee, grace_days }: LoanTerms): TypedTerms => ({
  principal: typedNumber(String(principal)),
  feeType: fee.type,
  fee: typedNumber(fee.type === 'bps' ? shiftedText(String(fee.value), -2) : String(fee.value)),
  graceDays: String(grace_days),
})

/** What is no number is sent as it is, and the service says what is wrong with it. */
export const termsOf = ({ principal, feeType, fee, graceDays }: TypedTerms) =>
  ({
    principal: numberOf(principal),
    fee: { type: feeType, value: numberOf(feeType === 'bps' ? shiftedText(fee, 2) : fee) },
    grace_days: numberOf(graceDays),
  }) as LoanTermsInput

/** The service would speak of basis points, which nobody types here. */
const percentProblem = (fee: string): string | undefined => {
  const basisPoints = numberOf(shiftedText(fee, 2))
  const isPercent = Number.isInteger(basisPoints) && Number(basisPoints) <= 10_000
  return fee.trim() === '' || isPercent
    ? undefined
    : 'Enter a percentage from 0 to 100, with at most two decimals.'
}

interface TermsFieldsProps {
  terms: TypedTerms
  currency: string
  onChange: (terms: TypedTerms) => void
}

export const TermsFields = ({ terms, currency, onChange }: TermsFieldsProps) => {
  const field = (name: 'principal' | 'fee' | 'graceDays') => ({
    inputMode: 'decimal' as const,
    value: terms[name],
    onChange: (event: { target: { value: string } }) =>
      onChange({ ...terms, [name]: event.target.value }),
  })
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label={`Principal in ${currency}`}
        param="/terms/principal"
        problem={doubtOf(terms.principal)}
        {...field('principal')}
      />
      <TextField
        label="Days of grace"
        param="/terms/grace_days"
        hint="After the due date of the invoice."
        {...field('graceDays')}
      />
      <SelectField
        label="Fee"
        param="/terms/fee/type"
        options={[
          ['bps', 'Percent of the principal'],
          ['flat', 'A fixed amount'],
        ]}
        value={terms.feeType}
        onChange={({ target }) =>
          onChange({ ...terms, feeType: target.value as TypedTerms['feeType'] })
        }
      />
      <TextField
        label={terms.feeType === 'bps' ? 'Percent' : `Amount in ${currency}`}
        param="/terms/fee/value"
        problem={
          doubtOf(terms.fee) ?? (terms.feeType === 'bps' ? percentProblem(terms.fee) : undefined)
        }
        {...field('fee')}
      />
    </div>
  )
}
