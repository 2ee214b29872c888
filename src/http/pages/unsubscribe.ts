/**
 * /unsubscribe/<token>: turns one kind of notice off for the person whom a mail went to, without a
 * sign-in (RFC 8058, docs/decisions/0275). GET shows a button and changes nothing. POST takes the
 * form of a mail program, which is also that of the button, and answers without a redirect.
 */
import { hash } from 'node:crypto'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { memberNotices } from '../../contract/notices.ts'
import { type LinkedNotice, show, turnOff } from '../../operations/identity/unsubscribe.ts'
import type { Exchange } from '../exchange.ts'
import { readBody } from '../parsing/body.ts'
import { send } from '../respond.ts'
import { type Page, anonymousCallerOf, publicPage } from './page.ts'

const path = '/unsubscribe/{token}'

export const unsubscribePages: readonly Page[] = [
  {
    ...publicPage(path, async (exchange, { token = '' }) => {
      sendPage(exchange, await show(exchange.pipeline.context, token))
    }),
    pathPrefix: '/unsubscribe/',
  },
  {
    ...publicPage(path, async (exchange, { token = '' }) => {
      await checkForm(exchange)
      const from = anonymousCallerOf(exchange)
      sendPage(exchange, await turnOff(exchange.pipeline.context, token, from))
    }),
    method: 'POST',
  },
]

const [field, value] = ['List-Unsubscribe', 'One-Click']

/** Mail programs send it urlencoded or in parts. */
const checkForm = async (exchange: Exchange): Promise<void> => {
  const bytes = await readBody(exchange, limits.unsubscribeFormMaxBytes)
  const { 'content-type': type = '' } = exchange.request.headers
  const sent = new Response(bytes, { headers: { 'Content-Type': type } }).formData()
  const form = await sent.catch(() => {
    throw refuse('unsupported_media_type', `Send a form with ${field}=${value}.`)
  })
  if (form.get(field) === value) return
  const message = `The form has to say ${field}=${value}.`
  throw invalidRequest({ param: `/${field}`, code: 'invalid_value', message })
}

const sendPage = (exchange: Exchange, notice: LinkedNotice | undefined): void => {
  const appUrl = `${exchange.pipeline.context.config.baseUrl}/app`
  send(exchange, notice === undefined ? 404 : 200, pageOf(notice, appUrl), headers)
}

const style =
  'body { font: 16px/1.5 sans-serif; max-width: 40em; margin: 2em auto; padding: 0 1em } ' +
  'button { font: inherit; padding: 0.5em 1em }'

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; ` +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

const head =
  '<meta charset="utf-8"><meta name="color-scheme" content="light dark">' +
  '<meta name="viewport" content="width=device-width"><title>Notices by e-mail</title>' +
  `<style>${style}</style>`

const pageOf = (notice: LinkedNotice | undefined, appUrl: string): string =>
  `<!doctype html><html lang="en"><head>${head}</head>
<body>${contentOf(notice, appUrl)}</body></html>\n`

/** Without the address of the person: whoever has the link need not know it. */
const contentOf = (notice: LinkedNotice | undefined, appUrl: string): string => {
  const openPreferences = `<a href="${appUrl}">sign in</a> and open Preferences`
  if (notice === undefined) {
    return `<h1>This link no longer works</h1>
<p>To choose which notices you get, ${openPreferences}.</p>`
  }
  const { about } = memberNotices[notice.kind]
  if (notice.isOn) {
    return `<h1>Turn this notice off?</h1><p>${about}</p>
<form method="post"><button name="${field}" value="${value}">Turn it off</button></form>
<p>You will no longer get it by e-mail, from any organization. Other notices stay as they are.</p>`
  }
  return `<h1>This notice is off</h1><p>${about}</p>
<p>You no longer get it by e-mail. To turn it on again, ${openPreferences}.</p>`
}
