/**
 * An authenticator and the browser around it (WebAuthn 6): it makes ES256 passkeys, counts their
 * uses, and signs what a page asks for. Everything it says can be made false.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface Said {
  origin: string
  domain: string
  /** Whose passkey it is, as it says. */
  userHandle: string | undefined
  counter: number
  /** Whether it has checked the person. */
  isVerified: boolean
  /** Whether a page of another origin has embedded the one that asks, as the browser says. */
  crossOrigin: boolean
  credentialId: string
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

const flag = { present: 0x01, verified: 0x04, attested: 0x40 }

/** CBOR: the items here are short. */
const cborBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([
    bytes.length < 256
      ? Buffer.of(0x58, bytes.length)
      : Buffer.of(0x59, bytes.length >> 8, bytes.length & 0xff),
    bytes,
  ])
const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.of(0x60 + text.length), Buffer.from(text)])

const clientData = (type: string, challenge: string, { origin, crossOrigin }: Said): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))

export const anAuthenticator = (baseUrl: string) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const site = { origin: new URL(baseUrl).origin, domain: new URL(baseUrl).hostname }
  const own: Said = {
    ...site,
    counter: 0,
    isVerified: true,
    crossOrigin: false,
    userHandle: undefined,
    credentialId: randomBytes(32).toString('base64url'),
  }
  /** Kty EC2, algorithm ES256, curve P-256. */
  const coseKey = Buffer.concat([
    Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21),
    cborBytes(Buffer.from(jwk.x!, 'base64url')),
    Buffer.of(0x22),
    cborBytes(Buffer.from(jwk.y!, 'base64url')),
  ])
  const authenticatorData = (said: Said, isNew: boolean): Buffer => {
    const flags = flag.present | (said.isVerified ? flag.verified : 0) | (isNew ? flag.attested : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(said.counter)
    const credential = Buffer.from(said.credentialId, 'base64url')
    const attested = [Buffer.alloc(16), Buffer.of(0, credential.length), credential, coseKey]
    return Buffer.concat([
      sha256(said.domain),
      Buffer.of(flags),
      counter,
      ...(isNew ? attested : []),
    ])
  }
  const named = (said: Said) => ({
    id: said.credentialId,
    rawId: said.credentialId,
    type: 'public-key',
    clientExtensionResults: {},
  })
  return {
    own,
    publicKey: coseKey,
    /** `navigator.credentials.create` */
    create: (
      { challenge, user }: { challenge: string; user: { id: string } },
      changes: Partial<Said> = {},
    ) => {
      own.userHandle = user.id
      const said = { ...own, ...changes }
      const data = authenticatorData(said, true)
      const attestation = [cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.of(0xa0)]
      const object = [Buffer.of(0xa3), ...attestation, cborText('authData'), cborBytes(data)]
      return {
        ...named(said),
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, said).toString('base64url'),
          attestationObject: Buffer.concat(object).toString('base64url'),
          transports: ['internal'],
        },
      }
    },
    /** `navigator.credentials.get`; counts unless the counter is given. */
    get: ({ challenge }: { challenge: string }, changes: Partial<Said> = {}) => {
      if (changes.counter === undefined && own.counter > 0) own.counter += 1
      const said = { ...own, ...changes }
      const data = authenticatorData(said, false)
      const client = clientData('webauthn.get', challenge, said)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...named(said),
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          ...(said.userHandle === undefined ? {} : { userHandle: said.userHandle }),
        },
      }
    },
  }
}

export type Authenticator = ReturnType<typeof anAuthenticator>
