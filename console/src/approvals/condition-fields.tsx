/** The fields that say to which writes a rule applies, or with which write it is tried. */
import { currencies } from '../../../src/contract/currencies.ts'
import { documentTypes } from '../../../src/contract/document-types.ts'
import { useParties } from '../api/parties.ts'
import type { Currency, DocumentTypeName } from '../api/types.ts'
import { TextField } from '../design/field.tsx'
import { wordsOf } from '../design/format.tsx'
import { SelectField } from '../design/select-field.tsx'
import { type Operation, hasTypes, operationTexts } from './rule-texts.ts'

export interface Condition {
  operation: Operation
  documentType: DocumentTypeName | ''
  amount: string
  currency: Currency | ''
  connection: string
}

interface ConditionFieldsProps {
  value: Condition
  onChange: (change: Partial<Condition>) => void
  /** Where the body has it. */
  paramOf: (name: 'operation' | 'document_type' | 'amount' | 'currency' | 'connection_id') => string
  amountLabel: string
  amountHint?: string
  /** What an absent currency means; without it, one has to be chosen. */
  anyCurrency?: string
}

const payableTypes = Object.entries(documentTypes).flatMap(([name, { payer }]) =>
  payer === null ? [] : [[name, wordsOf(name)] as const],
)
const operations = Object.entries(operationTexts)

export const ConditionFields = (props: ConditionFieldsProps) => {
  const { value, onChange, paramOf, amountLabel, amountHint, anyCurrency } = props
  const parties = (useParties().data ?? []).map(({ id, name }) => [id, name] as const)
  const change = (field: keyof Condition) => (event: { target: { value: string } }) =>
    onChange({ [field]: event.target.value })
  return (
    <div className="grid gap-4 max-sm:gap-3 sm:grid-cols-2">
      <SelectField
        label="What"
        param={paramOf('operation')}
        options={operations}
        value={value.operation}
        onChange={change('operation')}
      />
      {hasTypes(value.operation) && (
        <SelectField
          label="Document type"
          param={paramOf('document_type')}
          options={[['', 'Any type'], ...payableTypes]}
          value={value.documentType}
          onChange={change('documentType')}
        />
      )}
      <TextField
        label={amountLabel}
        param={paramOf('amount')}
        inputMode="decimal"
        hint={amountHint}
        value={value.amount}
        onChange={change('amount')}
      />
      <SelectField
        label="Currency"
        param={paramOf('currency')}
        options={[
          ...(anyCurrency === undefined ? [] : [['', anyCurrency] as const]),
          ...currencies.map((name) => [name, name] as const),
        ]}
        value={value.currency}
        onChange={change('currency')}
      />
      <SelectField
        className="sm:col-span-2"
        label="Party"
        param={paramOf('connection_id')}
        options={[['', 'Any party'], ...parties]}
        value={value.connection}
        onChange={change('connection')}
      />
    </div>
  )
}
