/** The fields of a call: its parameters, its body, and how it is sent. */
import { CheckField, TextArea, TextField } from '../design/field.tsx'
import { Icon } from '../design/icon.tsx'
import { type Parameter, type ShellCall, isWrite } from './operations.ts'

interface CallFieldsProps {
  call: ShellCall
  onChange: (more: Partial<ShellCall>) => void
}

export const CallFields = ({ call, onChange }: CallFieldsProps) => {
  const { operation, values, body, idempotencyKey, isDry } = call
  const field = (parameter: Parameter) => (
    <ParameterField
      key={`${operation.id} ${parameter.name}`}
      parameter={parameter}
      value={values[parameter.name] ?? ''}
      onChange={(value) => onChange({ values: { ...values, [parameter.name]: value } })}
    />
  )
  const needed = operation.parameters.filter(({ isRequired }) => isRequired)
  const others = operation.parameters.filter(({ isRequired }) => !isRequired)
  return (
    <>
      {needed.map(field)}
      {others.length > 0 && (
        <details className="group rounded-md border border-line">
          <summary className="flex min-h-9 items-center gap-1.5 px-3 text-muted marker:content-none hover:text-ink">
            <Icon name="chevron" className="group-open:rotate-90" />
            {others.length === 1 ? '1 more parameter' : `${others.length} more parameters`}
          </summary>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-3 px-3 pt-1 pb-3">
            {others.map(field)}
          </div>
        </details>
      )}
      {operation.body !== undefined && (
        <TextArea
          label="Body"
          hint="JSON, filled in with the example of the reference."
          rows={Math.min(12, Math.max(3, body.split('\n').length))}
          spellCheck={false}
          isCode
          value={body}
          onChange={({ target }) => onChange({ body: target.value })}
        />
      )}
      {isWrite(operation) && (
        <>
          <TextField
            label="Idempotency-Key"
            hint="The same key and request take effect once. After a success, a new key is made."
            spellCheck={false}
            value={idempotencyKey}
            onChange={({ target }) => onChange({ idempotencyKey: target.value })}
          />
          <CheckField
            label="Dry run"
            hint="Checks everything, and changes nothing."
            checked={isDry}
            onChange={({ target }) => onChange({ isDry: target.checked })}
          />
        </>
      )}
    </>
  )
}

interface ParameterFieldProps {
  parameter: Parameter
  value: string
  onChange: (value: string) => void
}

const ParameterField = ({ parameter, value, onChange }: ParameterFieldProps) => (
  <TextField
    label={parameter.name}
    hint={parameter.hint}
    placeholder={parameter.example}
    spellCheck={false}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
)
