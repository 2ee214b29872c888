/** Reads the texts and streams of a PDF that the service has made, as far as tests need them. */
import { inflateSync } from 'node:zlib'

export interface ReadPdf {
  /** The texts of each page, in the order in which they are drawn. */
  pages: string[]
  /** Everything outside of streams. */
  structure: string
  /** By the number of the object, decompressed. */
  streams: ReadonlyMap<string, Buffer>
}

export const readPdf = (bytes: Buffer): ReadPdf => {
  const streams = new Map<string, Buffer>()
  const objects = new Map<string, string>()
  const source = bytes.toString('latin1')
  for (let at = source.indexOf(' obj\n'); at !== -1;) {
    const number = /(\d+) 0$/.exec(source.slice(at - 12, at))![1]!
    const end = source.indexOf('endobj', at)
    const streamAt = source.indexOf('>>\nstream\n', at)
    let next = end
    if (streamAt !== -1 && streamAt < end) {
      const head = source.slice(at, streamAt)
      objects.set(number, head)
      const length = Number(/\/Length (\d+)/.exec(head)![1])
      const start = streamAt + '>>\nstream\n'.length
      const data = bytes.subarray(start, start + length)
      streams.set(number, head.includes('/FlateDecode') ? inflateSync(data) : data)
      next = start + length
    } else objects.set(number, source.slice(at, end))
    at = source.indexOf(' obj\n', next)
  }
  const pages = [...objects.values()]
    .filter((object) => /\/Type \/Page\b/.test(object))
    .map((page) => {
      const resources = objects.get(reference(page, 'Resources'))!
      const content = streams.get(reference(page, 'Contents'))!.toString('latin1')
      return textOf(content, (font) => {
        const toUnicode = reference(objects.get(reference(resources, font))!, 'ToUnicode')
        return charactersOf(streams.get(toUnicode)!.toString('latin1'))
      })
    })
  return { pages, structure: [...objects.values()].join('\n'), streams }
}

const reference = (object: string, name: string): string =>
  new RegExp(`/${name} (\\d+) 0 R`).exec(object)![1]!

/** The characters by the codes of a font. */
const charactersOf = (map: string): string[] =>
  [...map.matchAll(/<[0-9a-f]+> <[0-9a-f]+> \[([^\]]*)\]/g)].flatMap(([, list]) =>
    [...list!.matchAll(/<([0-9a-f ]*)>/g)].map(([, units]) =>
      units!
        .split(' ')
        .map((unit) => String.fromCharCode(Number.parseInt(unit, 16)))
        .join(''),
    ),
  )

const textOf = (content: string, charactersOfFont: (font: string) => string[]): string => {
  let characters: string[] = []
  const texts: string[] = []
  for (const [, font, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font !== undefined) characters = charactersOfFont(font)
    else {
      const codes = [...shown!.matchAll(/<([0-9a-f]+)>/g)].map(([, hex]) => hex).join('')
      const glyphs = codes.match(/.{4}/g) ?? []
      texts.push(glyphs.map((code) => characters[Number.parseInt(code, 16)] ?? '').join(''))
    }
  }
  return texts.join('\n')
}
