/** The registers of company numbers that national rules of Peppol want named (ISO 6523). */
import type { Profile } from '../../contract/shapes/organization.ts'
import { type Markup, elementWith } from './xml.ts'

const registers: Readonly<Record<string, readonly { scheme: string; form: RegExp }[]>> = {
  DK: [{ scheme: '0184', form: /^(DK)?\d{8}$/ }],
  IS: [{ scheme: '0196', form: /./ }],
  NL: [
    { scheme: '0106', form: /^\d{8}$/ },
    { scheme: '0190', form: /^\d{20}$/ },
  ],
}

/** Undefined where no rule asks for a register, or the number has another form. */
export const companyScheme = ({ address, company_id }: Profile): string | undefined =>
  registers[address?.country ?? '']?.find(({ form }) => form.test(company_id ?? ''))?.scheme

export const companyNumber = (name: string, profile: Profile): Markup | undefined => {
  if (profile.company_id === null) return undefined
  const scheme = companyScheme(profile)
  return elementWith(name, scheme === undefined ? {} : { schemeID: scheme }, profile.company_id)
}
