/** API keys, scopes and admin sessions. */
import type { Config } from '../../config.ts'
import { limits } from '../../contract/limits.ts'
import { memberNotices } from '../../contract/notices.ts'
import { roles } from '../../contract/roles.ts'
import { scopes } from '../../contract/scopes.ts'
import { curl } from '../examples/curl.ts'
import { type Section, code, codeSpan, list, table, text } from '../blocks.ts'
import { durationText } from './duration.ts'

export const authentication = ({ baseUrl, keyRotationGraceMs }: Config): Section => ({
  id: 'authentication',
  title: 'Authentication',
  blocks: [
    text(
      'Authenticate every request with the header `Authorization: Bearer <API_KEY>`. No other authentication method is accepted.',
    ),
    list(
      'An API key acts for its whole organization, within its scopes. Sandbox keys start with `rk_test_` and live keys with `rk_live_`. Sandbox and live data are strictly isolated from each other.',
      'The secret is shown once, when you create the key; only its hash is stored. A lost secret cannot be recovered: create another key and revoke the old one.',
      'Managing keys requires an **admin session**: send the token of a signed-in owner or admin, `rs_test_…` or `rs_live_…`, in the same header. `sandbox.json` contains one for the sandbox.',
      'A key stops working at its `expires_at`. `allowed_cidrs` limits the addresses it can be used from: a request from any other address is refused with [forbidden](#errors-forbidden) before the rest of it is examined.',
      `Rotating a key creates a replacement with the same name, scopes, limits and approval rule. The old key keeps working for ${durationText(keyRotationGraceMs)}.`,
      'Revoking a key takes effect immediately and cannot be undone.',
      'Call the API from a server or an app, where the key stays secret. Responses have no CORS headers, so a web page of another origin cannot read them.',
      'Missing, wrong, revoked, expired and rotated-out credentials all get the same [unauthorized](#errors-unauthorized) error, and so do all credentials of an organization that the operator has suspended.',
    ),
    text(
      'A key never has more access than its organization: every request is checked against the scopes that both of them have. A scope that the key lacks results in [insufficient_scope](#errors-insufficient_scope); a scope that the organization cannot use results in [capability_unavailable](#errors-capability_unavailable).',
    ),
    table(
      ['Scope', 'Allows', 'Reveals'],
      Object.entries(scopes).map(([scope, { allows, reveals }]) => [
        codeSpan(scope),
        allows,
        reveals,
      ]),
    ),
  ],
  sections: [
    signedRequests,
    signingIn(baseUrl),
    secondFactors,
    passkeys,
    signingInPrograms(baseUrl),
    membersAndRoles,
    notices,
  ],
})

const signedRequests: Section = {
  id: 'signed-requests',
  title: 'Signed requests',
  blocks: [
    text(
      'A key can be created with `signing_key`, the public half of an Ed25519 key that you keep: its 32 bytes in base64. Every write of the key must then be signed with it as RFC 9421 describes, and is refused with [unauthorized](#errors-unauthorized) otherwise. Rotating the key keeps the signing key. Reads are not signed.',
    ),
    list(
      'Sign `@method`, `@path` and `idempotency-key`, and also `@query`, `content-digest`, `if-match` and `svc-dry-run` if the request has them. Other components are refused.',
      'A request with a body needs `Content-Digest: sha-256=:…:` (RFC 9530).',
      `The parameter \`created\` is within ${limits.signatureToleranceSeconds} seconds of now, and \`keyid\` is the \`signing_key\`. \`alg\` (\`ed25519\`), \`expires\`, \`nonce\` and \`tag\` are optional.`,
      'Send one signature, and sign a retry anew once `created` is too old.',
      'The signature becomes part of the document’s history, and the signed body of your own part of it: [proof bundles](#provenance) then prove what you requested, and nobody who can write into the database can act as you.',
    ),
    code(
      'http',
      [
        'Signature-Input: sig=("@method" "@path" "idempotency-key");created=1795392000;keyid="JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="',
        'Signature: sig=:…:',
      ].join('\n'),
    ),
  ],
}

const membersAndRoles: Section = {
  id: 'members-and-roles',
  title: 'Members and roles',
  blocks: [
    text(
      'A signed-in user acts for an organization in a role, which decides what the session may do. Owners and admins also do what needs an admin session: keys, connections, webhook endpoints and members. A change of the role, and a removal, take effect on the next request.',
    ),
    text(
      'To add somebody, create an invitation ([`POST /v1/invitations`](#invitations.create)) and pass its token on, which works once within seven days. Where the deployment has a mail server, the person also gets it by e-mail. The person sends it with a password to `POST /auth/invitations/accept`, and a new user also a `name`; the response is a session. The token works only while whoever invited may still give the role: it ends with their removal, or with a change of their role.',
    ),
    table(
      ['Role', 'May do', 'Scopes'],
      Object.entries(roles).map(([role, { allows, scopes: granted }]) => [
        codeSpan(role),
        allows,
        granted.map((scope) => codeSpan(scope)).join(' '),
      ]),
    ),
  ],
}

const notices: Section = {
  id: 'notices',
  title: 'Notices by e-mail',
  blocks: [
    text(
      'Where the operator has set `SMTP_URL`, members get a plain-text and HTML mail in these cases, in a sandbox as well. What only some roles may read, such as the name of a key, is only in the mails to them. Everybody can switch each notice off with [`PATCH /v1/preferences`](#preferences.update), for all organizations at once, or in a mail program that can unsubscribe by one click (RFC 8058), where the deployment has HTTPS.',
    ),
    table(
      ['Notice', 'Sent when', 'To the roles'],
      Object.entries(memberNotices).map(([name, { about, roles: told }]) => [
        codeSpan(name),
        about,
        told.join(', '),
      ]),
    ),
    text(
      `Invitations are mailed to the address that was invited, and [sign-in links](#signing-in) to users who ask for one. A notice is sent once, and again only if the mail server has not said whether it took it; the \`Message-ID\` is the same then. An organization sends at most ${limits.noticesPerHourMax.live} mails in an hour (a sandbox ${limits.noticesPerHourMax.test}), and an address gets at most ${limits.noticesPerRecipientPerHourMax}, and ${limits.invitationsPerRecipientPerHourMax} invitations beside them; what exceeds that waits. What could not be sent within a day is not sent any more.`,
    ),
  ],
}

const signingIn = (baseUrl: string): Section => ({
  id: 'signing-in',
  title: 'Signing in',
  blocks: [
    text(
      'Start an admin session with an e-mail address and a password, or with a one-time link from the operator (`{"link": …}` in place of both). The sign-in endpoints are outside `/v1`, need no Idempotency-Key, and have an OpenAPI document of their own: `/auth/openapi.json`.',
    ),
    code(
      'sh',
      curl({
        method: 'POST',
        url: `${baseUrl}/auth/sessions`,
        body: { email: 'admin@practice.example', password: '$ADMIN_PASSWORD' },
      }),
    ),
    text(
      `The response (201) contains the \`token\` to send as \`Authorization: Bearer …\` for ${durationText(limits.sessionLifetimeMs)}, the user, the role and scopes of the user, and the organization that the session acts for. Send \`organization_id\` to choose the organization. By default, the session acts for the organization that the user used last; before the first sign-in, for a sandbox if there is one.`,
    ),
    table(
      ['Endpoint', 'Description'],
      [
        [
          codeSpan('POST /auth/sessions'),
          'Signs in with `{email, password}` or `{link}`; see [second factors](#second-factors) and [passkeys](#passkeys).',
        ],
        [
          codeSpan('POST /auth/setup'),
          'Creates the first owner, with the token that the first start prints.',
        ],
        [codeSpan('GET /auth/methods'), 'Lists the ways to sign in to this deployment.'],
        [
          codeSpan('GET /auth/session'),
          'Returns the session of the token that you send, and the organizations of the user.',
        ],
        [
          codeSpan('GET /auth/sessions'),
          'Lists the sessions of the user; `DELETE /auth/sessions/{id}` ends one of them.',
        ],
        [
          codeSpan('POST /auth/sessions/refresh'),
          'Gets a browser its next token; takes and sets the cookie.',
        ],
        [
          codeSpan('POST /auth/session/switch'),
          'Switches to another organization of the user, `{organization_id}`: returns a new token and ends the old session.',
        ],
        [
          codeSpan('POST /auth/session/step-up'),
          `Shows again who the user is, with the password, or with \`totp\` or \`passkey\` if there is a second factor. A browser whose user did so more than ${durationText(limits.recentSignInMs)} ago is refused live money and changes of keys, members, invitations and the profile, and any session whose user did is refused decisions on live [approvals](#approvals) and changes of their rules: [forbidden](#errors-forbidden) with \`step_up_required\`.`,
        ],
        [codeSpan('DELETE /auth/session'), 'Signs out immediately, on every process.'],
        [
          codeSpan('POST /auth/device'),
          'Begins to sign a program in that a person approves in a browser; see [programs](#signing-in-programs).',
        ],
      ],
    ),
    text(
      `A page of this deployment signs in with \`client: "browser"\`. Its tokens last ${durationText(limits.browserTokenLifetimeMs)} and stay in memory; an HttpOnly cookie that is sent to \`/auth\` only gets the next one. The cookie works once, and again within ${durationText(limits.browserRepeatMs)} if the response was lost: when it is sent later, or after a cookie that it was exchanged for, the sign-in ends. It also ends ${durationText(limits.browserIdleMs)} after its last token, and ${durationText(limits.browserSignInMaxMs)} after it began.`,
    ),
    list(
      'A wrong password and an unknown e-mail address get the same [unauthorized](#errors-unauthorized) error.',
      `Where \`GET /auth/methods\` has a \`magic_link\`, \`POST /auth/links\` sends a user a link, \`{email}\`. It always answers 202, and sets a cookie. \`POST /auth/links/redeem\` signs in with both, \`{token}\` (what follows \`#t=\` in the link) and the cookie, once within ${durationText(limits.requestedLinkLifetimeMs)}.`,
      `A network may ask for ${limits.linkRequestsPerNetworkMax} links in an hour ([rate_limited](#errors-rate_limited)); an address is sent ${limits.linkRequestsPerEmailMax} in an hour at most. A new password ends the open links of its user.`,
      'A browser signs in through an identity provider of `oidc` in `GET /auth/methods` at `GET /auth/oidc/{id}/start`, and ends in the console. `GET /auth/identities` lists with which identities the user signs in; `POST` and `DELETE /auth/identities/{provider}` connect and disconnect them, with a recent sign-in.',
      `After ${limits.signInFailuresFree} failures with one e-mail address, or ${limits.signInFailuresPerNetworkFree} with any, attempts from the same network are refused with [rate_limited](#errors-rate_limited) for ${durationText(limits.signInFirstWaitMs)}; each further failure doubles the wait, up to ${durationText(limits.signInWaitMaxMs)}. ${limits.signInFailuresPerAccountFree} failures with one address, wherever they come from, do the same on networks on which it has not signed in lately. Signing in forgets the failures of its network; a link by e-mail and a passkey do not wait for those of the address.`,
    ),
  ],
})

const secondFactors: Section = {
  id: 'second-factors',
  title: 'Second factors',
  blocks: [
    text(
      `A signed-in user turns a second factor on in the settings of the console, or with three calls: \`POST /auth/totp\` returns a \`secret\` for an authenticator app, \`POST /auth/totp/confirm\` takes the first \`code\` of the app and returns ${limits.recoveryCodes} recovery codes, and \`GET /auth/recovery-codes\` says how many are left. \`DELETE /auth/totp\` turns it off, with \`totp\` or \`password\`. Codes have six digits and change every 30 seconds (RFC 6238, SHA-1).`,
    ),
    text(
      `A sign-in that lacks the code is refused with [unauthorized](#errors-unauthorized), \`details.reason: "mfa_required"\` and \`details.mfa_token\`. Within ${durationText(limits.mfaTokenLifetimeMs)}, the token signs in at \`POST /auth/sessions\` together with a code:`,
    ),
    code('json', JSON.stringify({ mfa_token: 'mt_mwxontfk_…', totp: '406058' })),
    list(
      '`totp` takes a code of the app or a recovery code, and can be sent with the password or the link at once. One-time links and accepted invitations need it too.',
      'Each code works once. A code may be one step early or late.',
      `After ${limits.wrongCodesFree} wrong codes in a row, the user waits before the next one, at most ${durationText(limits.wrongCodeWaitMaxMs)}: [rate_limited](#errors-rate_limited). A recovery code need not wait.`,
      '`details.methods` says what the user can show: `totp`, `passkey`, or both.',
      'A browser needs a second factor before it moves live money: [forbidden](#errors-forbidden) with `second_factor_required`. Its user steps up with it too.',
      'An operator removes a factor that was lost: `npm run admin -- second-factor remove <email>`.',
    ),
  ],
}

const passkeys: Section = {
  id: 'passkeys',
  title: 'Passkeys',
  blocks: [
    text(
      'A passkey (WebAuthn) signs in alone: its device checks the person by a fingerprint, a face or a PIN, and it answers to this site only. It is also a second factor, so that the password alone signs in no more. People add and remove passkeys in the settings of the console. `GET /auth/methods` says whether browsers allow passkeys here: that takes https and a name, or a service on one’s own machine.',
    ),
    list(
      'To add one, a page calls `POST /auth/passkeys/register/options` and gives the response to `navigator.credentials.create`. It sends what that answers, by its `toJSON()`, to `POST /auth/passkeys/register/verify` as `passkey`, with a `name`.',
      'To sign in, it calls `POST /auth/passkeys/sign-in/options` and gives the response to `navigator.credentials.get`. It sends what that answers to `POST /auth/passkeys/sign-in/verify` as `passkey`, with `organization_id` and `client` as for a password. The same answer goes with `POST /auth/session/step-up`, `POST /auth/invitations/accept`, `DELETE /auth/totp` and `DELETE /auth/passkeys/{id}`.',
      `Options last ${durationText(limits.passkeyChallengeLifetimeMs)} and work once. A passkey answers no options that are older than those it has answered.`,
      'An unknown passkey, another site, an answer that was used, and a counter that does not rise get the same [unauthorized](#errors-unauthorized) error.',
      `A person has at most ${limits.passkeysMax} passkeys. Adding one needs a sign-in of the last ${durationText(limits.recentSignInMs)}. Removing one takes a passkey, a code or the password; once the last second factor is gone, the password signs in alone.`,
    ),
  ],
}

const signingInPrograms = (baseUrl: string): Section => ({
  id: 'signing-in-programs',
  title: 'Signing in programs',
  blocks: [
    text(
      'A program on a machine without a browser gets a session as RFC 8628 describes: it shows a short code, and a signed-in person approves it elsewhere. `docex login --device` does all of this.',
    ),
    code('sh', curl({ method: 'POST', url: `${baseUrl}/auth/device`, body: {} })),
    list(
      `The response has \`user_code\` and \`verification_uri\` to show to the person, and \`device_code\` to keep. Both codes last ${durationText(limits.deviceCodeLifetimeMs)}.`,
      'The program waits `interval` seconds and sends `{device_code}` to `POST /auth/device/token`, until it gets a session (201). A refusal is [conflict](#errors-conflict): with the reasons `authorization_pending` and `slow_down` it polls again after `details.interval` seconds; `access_denied` and `expired_token` are final. The parameters of RFC 8628 are accepted (`client_id`, `scope`, and the `grant_type` of device codes), as JSON, and change nothing.',
      'In the browser, `POST /auth/device/claim` with `{user_code}` says from where the program asks, and binds the code to that sign-in; only it can then call `POST /auth/device/approve` with `{user_code, organization_id?}`, or `POST /auth/device/deny`.',
      `Approving needs a sign-in of the last ${durationText(limits.recentSignInMs)} and, for a live organization, a second factor: [forbidden](#errors-forbidden) with \`step_up_required\` or \`second_factor_required\`.`,
      `The session acts for the organization that was chosen, lasts ${durationText(limits.sessionLifetimeMs)} from the moment at which the person last showed who they are, and is in their list of sessions, where it can be ended. It enters no other organization, approves no other program and adds no way to sign in: [forbidden](#errors-forbidden) with \`approved_program\`. If the person signs out before the program has polled, it gets none.`,
      `At most ${limits.deviceCodesPerNetworkMax} codes of a network wait at the same time, and ${limits.deviceCodesPerBlockMax} of an IPv4 /24 or an IPv6 /48. After ${limits.wrongUserCodesMax} codes that do not exist, a person waits ${durationText(limits.wrongUserCodeWindowMs)}: [rate_limited](#errors-rate_limited).`,
    ),
  ],
})
