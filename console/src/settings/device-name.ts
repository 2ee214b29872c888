/** How a person recognizes a device, from what its program said it is. */

/** The first that matches: many browsers also claim to be others. */
const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['CrOS', 'ChromeOS'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

type Names = readonly (readonly [mark: string, name: string])[]

const nameIn = (userAgent: string, names: Names): string | undefined =>
  names.find(([mark]) => userAgent.includes(mark))?.[1]

interface Device {
  client: 'browser' | 'cli'
  user_agent: string | null
  address: string | null
}

/** `Firefox on Linux`; of a program, what it said: `Command line (docex 1.16.0)`. */
export const deviceName = ({ client, user_agent: userAgent, address }: Device): string => {
  const isBrowser = userAgent?.startsWith('Mozilla/') ?? false
  if (client === 'cli' && !isBrowser) {
    // Nobody has signed in for it: the service hands it out with an organization.
    if (address === null) return 'Token from the service'
    const [program = ''] = userAgent?.split(' ') ?? []
    return program === '' ? 'Command line' : `Command line (${program.replace('/', ' ')})`
  }
  const [browser, system] = [browsers, systems].map((names) => nameIn(userAgent ?? '', names))
  const name = `${browser ?? 'A browser'}${system === undefined ? '' : ` on ${system}`}`
  return client === 'cli' ? `Token made in ${name}` : name
}
