/** A mail server on this machine, which keeps what it is sent and can refuse it. */
import { once } from 'node:events'
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net'
import { after } from 'node:test'
import { type ReceivedMail, parsedMail } from './parsed-mail.ts'

export interface MailServer {
  /** The settings of a service that sends through it. */
  settings: { SMTP_URL: string; SMTP_FROM: string }
  mails: ReceivedMail[]
  /** All lines that clients have sent outside of mails. */
  commands: string[]
  /**
   * What it answers to a command, or to the dot at the end of a mail, instead of taking it:
   * undefined takes it, null says nothing.
   */
  answer: (command: string) => string | null | undefined
  /** It looks at a mail until then, and answers. */
  looksAtMail: Promise<void>
  /** Refuses connections until it starts again, on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
}

export const mailUser = { name: 'mailer@docex', password: 'p@ss word/&' }

export const startMailServer = async (): Promise<MailServer> => {
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let port = 0
  const mailServer: MailServer = {
    settings: { SMTP_URL: '', SMTP_FROM: 'Document Exchange <notices@docex.example>' },
    mails: [],
    commands: [],
    answer: () => undefined,
    looksAtMail: Promise.resolve(),
    stop: async () => {
      if (server === undefined) return
      const closed = once(server, 'close')
      server.close()
      server = undefined
      for (const socket of sockets) socket.destroy()
      await closed
    },
    start: async () => {
      server = createServer((socket) => {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
        converse(socket, mailServer)
      })
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      port = (server.address() as AddressInfo).port
    },
  }
  await mailServer.start()
  const { name, password } = mailUser
  const credentials = `${encodeURIComponent(name)}:${encodeURIComponent(password)}`
  mailServer.settings.SMTP_URL = `smtp://${credentials}@127.0.0.1:${port}`
  after(mailServer.stop)
  return mailServer
}

const replies: Readonly<Record<string, string>> = {
  EHLO: '250-mail.example\r\n250-8BITMIME\r\n250 AUTH PLAIN',
  AUTH: '235 welcome',
  DATA: '354 go on',
  QUIT: '221 bye',
}

/** One connection: commands line by line, and mails until a line with a single dot. */
const converse = (socket: Socket, server: MailServer): void => {
  let rest = ''
  let to: string[] = []
  let from = ''
  let isMail = false
  const say = (text: string): void => void socket.write(`${text}\r\n`)
  const take = (command: string): void => {
    server.commands.push(command)
    const [verb = ''] = command.toUpperCase().split(/[ :]/)
    const [, address = ''] = /<(.*?)>/.exec(command) ?? []
    const refusal = server.answer(command)
    if (refusal === null) return
    if (refusal !== undefined) return say(refusal)
    if (verb === 'MAIL') [from, to] = [address, []]
    if (verb === 'RCPT') to.push(address)
    isMail = verb === 'DATA'
    say(replies[verb] ?? '250 ok')
  }
  socket.setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', (chunk: string) => {
    rest += chunk
    for (;;) {
      const end = isMail ? '\r\n.\r\n' : '\r\n'
      const at = rest.indexOf(end)
      if (at < 0) return
      const piece = rest.slice(0, at)
      rest = rest.slice(at + end.length)
      if (!isMail) {
        take(piece)
        continue
      }
      isMail = false
      server.mails.push(parsedMail({ from, to, raw: piece }))
      void server.looksAtMail.then(() => say(server.answer('.') ?? '250 taken'))
    }
  })
  say('220 mail.example')
}
