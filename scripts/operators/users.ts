/** People and their ways in: operators make users, sign-in links and sessions. */
import { chosenMembership, makeLink, signIn } from '../../src/changes/identity/sessions.ts'
import { appoint } from '../../src/changes/identity/users.ts'
import { encodeId } from '../../src/core/ids.ts'
import type { Session } from '../../src/database/sql.ts'
import * as users from '../../src/store/identity/users.ts'
import {
  BadInput,
  type Command,
  type Done,
  type Given,
  listMaxRows,
  listed,
  needed,
  organizationId,
  organizationOf,
  quoted,
  userOf,
} from './command.ts'

export const howToSignIn = ({ email, password_hash: hash }: users.UserRow): string[] =>
  hash === null ? [`No password yet: npm run admin -- link ${email} prints a sign-in link.`] : []

const add = async (tx: Session, { options, passwordHash }: Given): Promise<Done> => {
  const { id: organization, name } = await organizationOf(tx, needed(options, 'organization'))
  const role = (['owner', 'admin', 'member'] as const).find((one) => one === options['role'])
  if (role === undefined) throw new BadInput('--role must be owner, admin or member.')
  const { user, isNew, roleBefore } = await appoint(tx, {
    email: needed(options, 'email'),
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
    says: [
      `${user.email} (${id}${isNew ? ', new' : ''}) is ${role} of ${name} (${org}${change}).`,
      ...(passwordHash === null ? howToSignIn(user) : ['The password is set.']),
    ],
  }
}

const list = async (tx: Session, { options }: Given): Promise<Done> => {
  const rows = await users.membersLike(tx, options['email'] ?? '', listMaxRows)
  return listed(
    rows.map(({ id, email, name, role, organization_id, organization_name }) => {
      const who = `${encodeId('usr', id)}  ${email} ${quoted(name)}`
      if (organization_id === null) return `${who}: of no organization`
      return `${who}: ${role} of ${quoted(organization_name!)} (${encodeId('org', organization_id)})`
    }),
    'There is no such user.',
  )
}

const printLink = async (tx: Session, { words: [email = ''], baseUrl }: Given): Promise<Done> => {
  const user = await userOf(tx, email)
  // Refuses when there is nothing to sign in to.
  chosenMembership(await users.membershipsOf(tx, user.id), undefined)
  const { token, expires_at } = await makeLink(tx, user.id)
  const intro = `Sign-in link of ${user.email}, for one use until ${expires_at}:`
  const body = `-H 'Content-Type: application/json' -d '{"link":"${token}"}'`
  const command = `curl -X POST ${baseUrl}/auth/sessions ${body}`
  return {
    subject: encodeId('usr', user.id),
    detail: { expires_at },
    says: [intro, token, command],
  }
}

const printSession = async (tx: Session, { words, options }: Given): Promise<Done> => {
  const user = await userOf(tx, words[0] ?? '')
  const wanted = options['organization']
  const named = wanted === undefined ? undefined : organizationId(wanted)
  const { opened, membership } = await signIn(tx, user.id, named)
  const organization = encodeId('org', membership.organization_id)
  const { role, organization_name: name } = membership
  const whose = `${user.email}, ${role} of ${name} (${organization})`
  return {
    subject: encodeId('usr', user.id),
    detail: { session: encodeId('ses', opened.id), organization },
    says: [`Session of ${whose}, until ${opened.expires_at}:`, opened.token],
  }
}

export const userCommands: Readonly<Record<string, Command>> = {
  'user add': {
    usage:
      '--email E --name N --organization <org_id> --role owner|admin|member [--password-stdin]',
    run: add,
  },
  'user list': { usage: '[--email E]', run: list },
  link: { usage: '<email>', run: printLink },
  session: { usage: '<email> [--organization <org_id>]', run: printSession },
}
