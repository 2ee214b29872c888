/** The command that connects a live organization to the payment processor. */
import { currencies } from '../../src/contract/currencies.ts'
import { encodeId } from '../../src/core/ids.ts'
import type { Queryable } from '../../src/database/sql.ts'
import type { OrganizationRow } from '../../src/store/identity/organizations.ts'
import * as processors from '../../src/store/payments/processors.ts'
import {
  BadInput,
  type Command,
  type CommandResult,
  type CommandInput,
  organizationOf,
} from './admin-command.ts'

const connectProcessor = async (
  tx: Queryable,
  { id, name, mode }: OrganizationRow,
  { options }: CommandInput,
): Promise<CommandResult> => {
  if (mode !== 'live') throw new BadInput(`${name} is a sandbox: its payments are simulated.`)
  const customer = stripeIdOption(options, 'customer', 'cus_')
  const payout = stripeIdOption(options, 'payout', 'acct_')
  const methods = paymentMethodsOf(options['methods'] ?? '')
  const paymentMethods = JSON.stringify(methods)
  await processors.connectProcessor(tx, id, { customer, paymentMethods, payout })
  const subject = encodeId('org', id)
  const lines = [`${name} (${subject}) pays in ${Object.keys(methods).join(', ')} and is paid.`]
  return { subject, detail: { customer, payout, methods }, lines }
}

const stripeIdOption = (options: CommandInput['options'], name: string, prefix: string): string => {
  const value = options[name] ?? ''
  if (!value.startsWith(prefix)) throw new BadInput(`--${name} must be an id such as ${prefix}….`)
  return value
}

/** Parses `USD=pm_1,EUR=pm_2`: the mandated bank account of each currency. */
const paymentMethodsOf = (text: string): Record<string, string> => {
  const methods = text.split(',').map((part) => part.split('=') as [string, string | undefined])
  const supported: readonly string[] = currencies
  for (const [currency, method] of methods) {
    if (!supported.includes(currency) || !method?.startsWith('pm_')) {
      throw new BadInput(
        `--methods must look like USD=pm_…,EUR=pm_…, with ${supported.join(', ')}.`,
      )
    }
  }
  return Object.fromEntries(methods) as Record<string, string>
}

export const processorCommands: Readonly<Record<string, Command>> = {
  'processor connect': {
    summary: 'set how a live organization pays and is paid',
    arguments: '<org_id>',
    required: ['--customer <cus_…>', '--methods <USD=pm_…,EUR=pm_…>', '--payout <acct_…>'],
    run: async (tx, input) =>
      connectProcessor(tx, await organizationOf(tx, input.positionals[0] ?? ''), input),
  },
}
