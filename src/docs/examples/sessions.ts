/** A user of the shop signs in. These operations are outside of the versioned contract. */
import { type Example, exampleIds } from './ids.ts'

const session = {
  id: 'ses_01kbm9qz3ge4nvtw7d8hsn6b5m',
  expires_at: '2026-11-21T21:10:00.000Z',
  organization: { id: exampleIds.issuer, name: 'Bright Timber', mode: 'sandbox' },
  user: {
    id: 'usr_01kbm9qy8hf6kart2c5pxm4d9j',
    email: 'ada@bright-timber.example',
    name: 'Ada Holz',
  },
  role: 'admin',
  scopes: ['documents:write', 'documents:read'],
}

const opened = { ...session, token: 'rs_test_…', token_type: 'Bearer' }

const current = {
  ...session,
  client: 'browser',
  authenticated_at: '2026-11-21T09:10:00.000Z',
  organizations: [{ ...session.organization, role: session.role }],
}

const listed = {
  id: session.id,
  client: 'browser',
  is_current: true,
  organization: session.organization,
  address: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/151.0',
  created_at: '2026-11-21T09:10:00.000Z',
  authenticated_at: '2026-11-21T09:10:00.000Z',
  refreshed_at: '2026-11-21T12:25:00.000Z',
  expires_at: '2026-11-28T12:25:00.000Z',
}

const passkey = {
  id: 'psk_01kbm9r1x4e5p8q9s2t3v6w7y8',
  name: 'My laptop',
  transports: ['internal'],
  created_at: '2026-11-21T09:20:00.000Z',
  last_used_at: '2026-11-21T12:25:00.000Z',
}

const credential = { id: 'Pz8gYQ', rawId: 'Pz8gYQ', type: 'public-key' }

const answer = {
  ...credential,
  response: { clientDataJSON: 'eyJ0eX', authenticatorData: 'SZYN5Y', signature: 'MEUCIQ' },
}

const challenge = { challenge: 'cGNfbX', timeout: 300_000 }

const device = {
  user_code: 'WDJB-MJHT',
  status: 'claimed',
  address: '203.0.113.7',
  user_agent: 'docex-cli/1.16.0 (build-7)',
  created_at: '2026-11-21T09:10:00.000Z',
  expires_at: '2026-11-21T09:20:00.000Z',
  organization: null,
}

const identity = {
  provider: { id: 'acme', name: 'Acme' },
  email: session.user.email,
  connected_at: '2026-11-21T09:20:00.000Z',
}

const factor = { enabled_at: '2026-11-21T09:15:00.000Z', recovery_codes_left: 10 }

export const sessionExamples: Readonly<Record<string, Example>> = {
  'sessions.create': {
    body: { email: session.user.email, password: 'correct horse battery staple' },
    response: opened,
  },
  'invitation.accept': {
    body: { token: 'mi_…', password: 'correct horse battery staple', name: 'Grace' },
    response: opened,
  },
  'auth.methods': {
    response: {
      setup_required: false,
      password: true,
      magic_link: 'smtp',
      passkey: true,
      oidc: [],
    },
  },
  'auth.setup': {
    body: {
      setup_token: 'st_…',
      email: session.user.email,
      name: session.user.name,
      password: 'correct horse battery staple',
      organization_name: 'Bright Timber',
    },
    response: opened,
  },
  'links.create': {
    body: { email: session.user.email },
    response: { delivery: 'smtp', expires_in: 900 },
  },
  'links.redeem': { body: { token: 'sl_…', client: 'browser' }, response: opened },
  'identities.list': { response: { data: [identity] } },
  'identities.connect': {
    body: { provider: 'acme' },
    response: { url: 'https://id.example.com/authorize?response_type=code&client_id=docex&…' },
  },
  'identities.remove': { response: identity },
  'sessions.refresh': { body: {}, response: opened },
  'sessions.list': { response: { data: [listed], next_cursor: null, has_more: false } },
  'sessions.revoke': { response: listed },
  'session.get': { response: current },
  'session.step_up': { body: { password: 'correct horse battery staple' }, response: current },
  'session.end': { response: session },
  'totp.start': {
    body: {},
    response: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      otpauth_url: `otpauth://totp/Document%20Exchange:ada%40bright-timber.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Document%20Exchange`,
    },
  },
  'totp.confirm': {
    body: { code: '406058' },
    response: { ...factor, recovery_codes: ['9f04c-11ab2-77d0e-3b5c8', '04d7e-a9c31-5f2b6-80e1d'] },
  },
  'totp.remove': { body: { totp: '406058' }, response: factor },
  'recovery_codes.get': { response: factor },
  'passkeys.start': {
    body: {},
    response: {
      ...challenge,
      rp: { id: 'exchange.example', name: 'Document Exchange' },
      user: { id: 'AZrSl7', name: session.user.email, displayName: session.user.name },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    },
  },
  'passkeys.add': {
    body: {
      name: passkey.name,
      passkey: {
        ...credential,
        response: { clientDataJSON: 'eyJ0eX', attestationObject: 'o2NmbX' },
      },
    },
    response: { ...passkey, last_used_at: null },
  },
  'passkeys.list': { response: { data: [passkey], next_cursor: null, has_more: false } },
  'passkeys.remove': { body: { password: 'correct horse battery staple' }, response: passkey },
  'passkeys.start_sign_in': {
    body: {},
    response: {
      ...challenge,
      rpId: 'exchange.example',
      userVerification: 'required',
      allowCredentials: [],
    },
  },
  'passkeys.sign_in': { body: { passkey: answer, client: 'browser' }, response: opened },
  'device.start': {
    body: {},
    response: {
      device_code: 'dc_…',
      user_code: device.user_code,
      verification_uri: 'https://exchange.example/app/device',
      verification_uri_complete: 'https://exchange.example/app/device?user_code=WDJB-MJHT',
      expires_in: 600,
      interval: 5,
    },
  },
  'device.token': { body: { device_code: 'dc_…' }, response: opened },
  'device.claim': { body: { user_code: device.user_code }, response: device },
  'device.approve': {
    body: { user_code: device.user_code, organization_id: exampleIds.issuer },
    response: { ...device, status: 'approved', organization: session.organization },
  },
  'device.deny': {
    body: { user_code: device.user_code },
    response: { ...device, status: 'denied' },
  },
  'session.switch': { body: { organization_id: exampleIds.issuer }, response: opened },
}
