/** Settings of third parties: file store, processor, identity providers, mail server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'

test('contract 10: a wrong value beside others is named, and no secret is shown', () => {
  const store = { S3_ENDPOINT: 'https://store.example', S3_BUCKET: 'exchange' }
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_one', STRIPE_WEBHOOK_SECRET: 'whsec_one' }
  assert.equal(readConfig(stripe).stripe?.secretKey, 'sk_test_one')
  const cases: [Record<string, string>, string][] = [
    [
      { ...store, S3_REGION: 'eu central' },
      'S3_REGION=eu central cannot be used: the name of a region, such as eu-central-1',
    ],
    [
      { ...stripe, STRIPE_SECRET_KEY: 'pk_test_one' },
      'STRIPE_SECRET_KEY=… cannot be used: a secret key of Stripe: sk_… or rk_…',
    ],
    [
      { STRIPE_SECRET_KEY: 'sk_test_one' },
      'STRIPE_WEBHOOK_SECRET= cannot be used: whsec_…, required with STRIPE_SECRET_KEY',
    ],
    [
      { ...stripe, STRIPE_WEBHOOK_SECRET: 'one' },
      'STRIPE_WEBHOOK_SECRET=… cannot be used: whsec_…, required with STRIPE_SECRET_KEY',
    ],
    [
      { ...stripe, STRIPE_WEBHOOK_SECRET: 'whsec_' },
      'STRIPE_WEBHOOK_SECRET=… cannot be used: whsec_…, required with STRIPE_SECRET_KEY',
    ],
  ]
  for (const [settings, message] of cases) assert.throws(() => readConfig(settings), { message })
})

test('the keys of the file store are set as a pair, or come from the role of the machine', () => {
  const store = { S3_ENDPOINT: 'https://store.example', S3_BUCKET: 'exchange' }
  const pair = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
  assert.deepEqual(readConfig({ ...store, ...pair }).s3?.credentials, credentials)
  assert.equal(readConfig(store).s3?.credentials, undefined)
  for (const [name, other] of [Object.keys(pair), Object.keys(pair).toReversed()]) {
    const read = () => readConfig({ ...store, [name!]: 'one' })
    assert.throws(read, {
      message: `${other}= cannot be used: required with the other S3 settings`,
    })
  }
})

test('OIDC_ settings name one identity provider, or several by their ids', () => {
  const one = { OIDC_ISSUER: 'https://id.example.com/a', OIDC_CLIENT_ID: 'docex' }
  const read = (env: Record<string, string>) => readConfig(env).oidcProviders
  assert.deepEqual(read({}), [])
  assert.deepEqual(read(one), [
    {
      id: 'oidc',
      name: 'id.example.com',
      issuer: 'https://id.example.com/a',
      clientId: 'docex',
      clientSecret: undefined,
      allowedDomains: [],
    },
  ])
  const several = {
    OIDC_PROVIDERS: 'acme, google',
    OIDC_ACME_ISSUER: 'http://127.0.0.1:9',
    OIDC_ACME_CLIENT_ID: 'a',
    OIDC_ACME_ALLOWED_DOMAINS: 'Acme.example, b.example',
    OIDC_GOOGLE_ISSUER: 'https://accounts.example',
    OIDC_GOOGLE_CLIENT_ID: 'g',
  }
  assert.deepEqual(
    read(several).map(({ id, allowedDomains }) => [id, allowedDomains]),
    [
      ['acme', ['acme.example', 'b.example']],
      ['google', []],
    ],
  )
  const wrong: [Record<string, string>, RegExp][] = [
    [{ ...one, OIDC_ISSUER: 'http://id.example.com' }, /^OIDC_ISSUER=http.* the https URL/],
    [{ ...one, OIDC_ISSUER: 'https://id.example.com?x=1' }, /^OIDC_ISSUER=/],
    [{ ...one, OIDC_CLIENT_ID: '' }, /^OIDC_CLIENT_ID= cannot be used: required/],
    [{ OIDC_CLIENT_ID: 'docex' }, /^OIDC_ISSUER= .* since other OIDC settings are set/],
    [{ OIDC_ALLOWED_DOMAINS: 'acme.example' }, /^OIDC_ISSUER= .* since other OIDC settings are/],
    [{ ...one, OIDC_ALLOWED_DOMAINS: '@acme' }, /^OIDC_ALLOWED_DOMAINS=@acme/],
    [{ OIDC_PROVIDERS: 'acme,acme' }, /^OIDC_PROVIDERS=acme,acme/],
    [{ OIDC_PROVIDERS: 'Acme!' }, /^OIDC_PROVIDERS=Acme!/],
    // Whoever sets this restricts the sign-in of each of them.
    [{ ...several, OIDC_ALLOWED_DOMAINS: 'a.example' }, /^OIDC_ALLOWED_DOMAINS=… .* beside OIDC_P/],
  ]
  for (const [env, message] of wrong) assert.throws(() => read(env), { message })
})

test('SMTP_URL names a server with or without credentials, and is never shown', () => {
  const from = { SMTP_FROM: 'Documents <notices@docs.example>' }
  const serverOf = (url: string) => readConfig({ SMTP_URL: url, ...from }).smtp!
  const sender = { name: 'Documents', address: 'notices@docs.example' }
  assert.deepEqual(serverOf('smtp://user%40docs:p%2Fw@mail.docs.example'), {
    host: 'mail.docs.example',
    port: 587,
    isTls: false,
    from: sender,
    credentials: { user: 'user@docs', password: 'p/w' },
  })
  const { host, port, isTls, credentials } = serverOf('smtps://[::1]/')
  assert.deepEqual([host, port, isTls, credentials], ['::1', 465, true, undefined])
  const wrong = [
    'mail.docs.example:25',
    'http://mail.docs.example',
    'smtp://',
    'smtp://user@host',
    'smtp://host/path',
    'smtp://host?pool=1',
    'smtp://u:%E0%A4%A@host',
    'smtp://host:0',
  ]
  for (const url of wrong) {
    const message = /^SMTP_URL=… cannot be used: a URL such as smtp:\/\/user:password@/
    assert.throws(() => serverOf(url), { message }, url)
  }
  for (const SMTP_FROM of ['', 'notices', 'a@b.example, c@d.example', 'x\r\nBcc: <a@b.example>']) {
    const read = () => readConfig({ SMTP_URL: 'smtp://host', SMTP_FROM })
    assert.throws(read, { message: /^SMTP_FROM=.* cannot be used: an address such as/ })
  }
  const plain = { SMTP_URL: 'smtp://host', SMTP_FROM: 'notices@docs.example' }
  assert.deepEqual(readConfig(plain).smtp!.from, { name: '', address: 'notices@docs.example' })
})
