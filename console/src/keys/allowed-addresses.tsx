/** From where a new key may call, compared with the address of whoever makes it. */
import { cidrContains, parseAddress, parseCidr } from '../../../src/core/identity/ip-addresses.ts'
import { useRead } from '../api/reads.ts'
import type { Caller } from '../api/types.ts'
import { TextField } from '../design/field.tsx'
import { Icon } from '../design/icon.tsx'
import { rangesOf } from './key-form.ts'

interface AllowedAddressesProps {
  /** As typed. */
  addresses: string
  onChange: (addresses: string) => void
}

export const AllowedAddresses = ({ addresses, onChange }: AllowedAddressesProps) => {
  const { data } = useRead<Caller>('/v1/me', {}, { refetchEveryMs: false })
  const own = data?.address
  const ranges = rangesOf(addresses)
  return (
    <div>
      <TextField
        label="Allowed IP addresses"
        placeholder="203.0.113.0/24"
        hint="CIDR ranges, separated by commas. Leave empty to allow any address."
        value={addresses}
        onChange={({ target }) => onChange(target.value)}
      />
      {own && !ranges.includes(own) && (
        <button
          type="button"
          onClick={() => onChange([...ranges, own].join(', '))}
          className="mt-2 inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-full border border-edge bg-raised px-3 text-sm break-all hover:bg-hover max-md:min-h-9"
        >
          <Icon name="plus" className="size-3.5" />
          Your address now: {own}
        </button>
      )}
      <p role="status" className="mt-2 text-sm text-amber empty:hidden">
        {own && isBlocked(own, ranges) && blockedText(own, ranges.length)}
      </p>
    </div>
  )
}

const blockedText = (own: string, count: number): string =>
  count === 1
    ? `This range blocks you: your address now, ${own}, is not in it.`
    : `These ranges block you: your address now, ${own}, is in none of them.`

/** Unknown, and so not said, while a range is only half typed. */
const isBlocked = (address: string, texts: readonly string[]): boolean => {
  const bytes = parseAddress(address)
  const ranges = texts.map((text) => parseCidr(text))
  if (bytes === undefined || ranges.length === 0) return false
  return ranges.every((range) => range.ok && !cidrContains(range.cidr, bytes))
}
