/** Commands that create users, sign-in links and sessions, and list users. */
import { chooseMembership } from '../../src/changes/identity/membership-choice.ts'
import { signIn } from '../../src/changes/identity/sessions.ts'
import { createSignInLink } from '../../src/changes/identity/sign-in-links.ts'
import { queueForAddress } from '../../src/changes/notices/queue-notices.ts'
import { roleNames } from '../../src/contract/role-names.ts'
import { removeAllFactors } from '../../src/changes/identity/second-factors.ts'
import { grantMembership } from '../../src/changes/identity/users.ts'
import { encodeId } from '../../src/core/ids.ts'
import type { Queryable } from '../../src/database/sql.ts'
import * as users from '../../src/store/identity/users.ts'
import {
  BadInput,
  type Command,
  type CommandResult,
  type CommandInput,
  type CommandTools,
  listMaxRows,
  listResult,
  requiredOption,
  parseOrganizationId,
  organizationOf,
  quotedName,
  userOf,
} from './admin-command.ts'

export const signInHint = ({ email, password_hash: hash }: users.UserRow): string[] =>
  hash === null ? [`No password yet: npm run admin -- link ${email} prints a sign-in link.`] : []

const add = async (
  tx: Queryable,
  { options, passwordHash }: CommandInput,
): Promise<CommandResult> => {
  const { id: organization, name } = await organizationOf(
    tx,
    requiredOption(options, 'organization'),
  )
  const role = roleNames.find((one) => one === options['role'])
  if (role === undefined) throw new BadInput(`--role must be one of ${roleNames.join(', ')}.`)
  const { user, isNew, roleBefore } = await grantMembership(tx, {
    email: requiredOption(options, 'email'),
    name: options['name'],
    organization,
    role,
    passwordHash,
  })
  const id = encodeId('usr', user.id)
  const org = encodeId('org', organization)
  const change = roleBefore === undefined ? '' : `, before: ${roleBefore}`
  return {
    subject: id,
    detail: { organization: org, role, password_set: passwordHash !== null },
    lines: [
      `${user.email} (${id}${isNew ? ', new' : ''}) is ${role} of ${name} (${org}${change}).`,
      ...(passwordHash === null ? signInHint(user) : ['The password is set.']),
    ],
  }
}

const list = async (tx: Queryable, { options }: CommandInput): Promise<CommandResult> => {
  const rows = await users.userMembershipsLike(tx, options['email'] ?? '', listMaxRows)
  return listResult(
    rows.map(({ id, email, name, role, organization_id, organization_name }) => {
      const who = `${encodeId('usr', id)}  ${email} ${quotedName(name)}`
      if (organization_id === null) return `${who}: no organization`
      return `${who}: ${role} of ${quotedName(organization_name!)} (${encodeId('org', organization_id)})`
    }),
    'There is no such user.',
  )
}

const printLink = async (
  tx: Queryable,
  { positionals: [email = ''], options, baseUrl }: CommandInput,
  { config, keyring }: CommandTools,
): Promise<CommandResult> => {
  const user = await userOf(tx, email)
  // Throws when the user has no organization to sign in to.
  const { organization_id: organization } = chooseMembership(
    await users.membershipsOf(tx, user.id),
    undefined,
  )
  const isMailed = options['mail'] !== undefined
  if (isMailed && config.smtp === undefined) throw new BadInput('--mail needs SMTP_URL.')
  const { token, expires_at } = await createSignInLink(tx, user.id)
  if (isMailed) {
    const mailed = { kind: 'sign_in_link', organization, email: user.email, token } as const
    await queueForAddress(tx, keyring.notices, mailed)
    return {
      subject: encodeId('usr', user.id),
      detail: { expires_at, mailed: true },
      lines: [`The sign-in link goes to ${user.email}, for one use until ${expires_at}.`],
    }
  }
  const intro = `Sign-in link of ${user.email}, for one use until ${expires_at}:`
  const body = `-H 'Content-Type: application/json' -d '{"link":"${token}"}'`
  const command = `curl -X POST ${baseUrl}/auth/sessions ${body}`
  return {
    subject: encodeId('usr', user.id),
    detail: { expires_at },
    lines: [intro, token, command],
  }
}

const printSession = async (
  tx: Queryable,
  { positionals, options }: CommandInput,
): Promise<CommandResult> => {
  const user = await userOf(tx, positionals[0] ?? '')
  const organizationOption = options['organization']
  const requested =
    organizationOption === undefined ? undefined : parseOrganizationId(organizationOption)
  const { session, membership } = await signIn(tx, user.id, { organization: requested })
  const organization = encodeId('org', membership.organization_id)
  const { role, organization_name: name } = membership
  const owner = `${user.email}, ${role} of ${name} (${organization})`
  return {
    subject: encodeId('usr', user.id),
    detail: { session: encodeId('ses', session.id), organization },
    lines: [`Session of ${owner}, until ${session.expires_at}:`, session.token],
  }
}

const removeFactor = async (
  tx: Queryable,
  { positionals: [email = ''] }: CommandInput,
): Promise<CommandResult> => {
  const user = await userOf(tx, email)
  const enabled_at = await removeAllFactors(tx, user.id)
  return {
    subject: encodeId('usr', user.id),
    detail: { enabled_at },
    lines: [
      `The second factor of ${user.email} is removed, with all passkeys. The password signs in alone.`,
    ],
  }
}

export const userCommands: Readonly<Record<string, Command>> = {
  'user add': {
    summary: 'add a member to an organization',
    required: ['--email <email>', '--organization <org_id>', `--role <${roleNames.join('|')}>`],
    options: ['--name <name>', '--password-stdin'],
    run: add,
  },
  'user list': { summary: 'list members', options: ['--email <part>'], run: list },
  link: {
    summary: 'print a sign-in link for one use within the hour, or send it by e-mail',
    arguments: '<email>',
    options: ['--mail'],
    run: printLink,
  },
  'second-factor remove': {
    summary: 'remove the second factor and the passkeys of somebody who has lost them',
    arguments: '<email>',
    run: removeFactor,
  },
  session: {
    summary: 'print a session token for twelve hours',
    arguments: '<email>',
    options: ['--organization <org_id>'],
    run: printSession,
  },
}
