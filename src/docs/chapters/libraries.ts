/** The packages that call the service, and what they take off a program. */
import { type Section, list, text } from '../blocks.ts'

export const libraries: Section = {
  id: 'libraries',
  title: 'Client libraries',
  blocks: [
    text(
      'Three packages call this service, in TypeScript, in Python and from the command line. They are in the project and in no registry; the README.md of each says how to install and use it. Whatever they do, a program without them can do over HTTP.',
    ),
    list(
      '**Lists, changes and events** are iterators: over all pages, over what has changed since a time, and over the feed of events, without gaps.',
      '**Errors** have `code`, `message`, the id of the request, `details` and the Idempotency-Key of the write.',
      '**Receipts** compare every answer with what was acknowledged before ([receipts](#receipts)).',
    ),
  ],
  sections: [
    {
      id: 'libraries-typescript',
      title: 'TypeScript and JavaScript',
      blocks: [
        text(
          'The package `docex` in `sdk/` runs on Node.js 20 and later, Deno, Bun and in workers, as an ES module and as CommonJS. `constructEvent` of `docex/webhooks` [verifies webhooks](#verification). The examples of these docs are ES modules: in a project that `npm init` has made, run `npm pkg set type=module` once, or name the file `quickstart.mts`. Node.js 22.18 and later, Deno and Bun run TypeScript as it is; with an earlier Node.js, compile it first, or use a program such as `npx tsx quickstart.mts`.',
        ),
      ],
    },
    {
      id: 'libraries-python',
      title: 'Python',
      blocks: [
        text(
          'The package `docex` in `sdk-python/` runs on Python 3.11 and later and needs the standard library only. `construct_event` of `docex.webhooks` [verifies webhooks](#verification).',
        ),
      ],
    },
    {
      id: 'libraries-command-line',
      title: 'Command line',
      blocks: [
        text(
          'The package `docex-cli` in `cli/` needs Node.js 22.12. Every operation is a command of `docex`; `docex listen` forwards events to a receiver on your machine, signed like webhooks.',
        ),
      ],
    },
    {
      id: 'libraries-key-stores',
      title: 'Retries and key stores',
      blocks: [
        text(
          'A write has one [Idempotency-Key](#idempotency) for all its attempts. What broke on the way, and what the service calls repeatable (`Svc-Should-Retry: true`), is repeated after `Retry-After`, or after a random time.',
        ),
        text(
          'A key store keeps the keys of writes whose outcome is not known, or which a person has to approve, so that an equal write finds its key, also after a restart: `FileKeyStore` of `docex/file-key-store` in TypeScript, and of `docex` in Python. Each organization needs a store of its own in each process, as two that share one would give equal writes one key, and so one effect.',
        ),
      ],
    },
  ],
}
