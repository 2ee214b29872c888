/** Domain 7 and contract 12: the PDF of a document shows the logo of its issuer. */
import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { drawnPicture } from '../../../src/core/pictures/picture.ts'
import { callApi } from '../../support/api-client.ts'
import { logoAttacher } from '../../support/documents/attachments-client.ts'
import { type ReadPdf, readPdf } from '../../support/documents/pdf-reader.ts'
import { aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { setProfile, withProfiles } from '../../support/identity/profiles.ts'
import { aJpeg, withSegment } from '../../support/pictures/jpeg.ts'
import { plainPng } from '../../support/pictures/png.ts'
import { startTestService } from '../../support/test-service.ts'

// Runs without tasks, because the auditor would put the document of the changed file on hold.
const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await withProfiles(running, await aPair(running))
const { issuer, counterparty } = pair
const attach = logoAttacher(running, await anInvoice(running, pair))

const render = (id: string, key = issuer.key) =>
  fetch(`${running.baseUrl}/v1/documents/${id}/render?format=pdf`, {
    headers: { authorization: `Bearer ${key}` },
  })

const pdfOf = async (id: string, key = issuer.key): Promise<ReadPdf & { bytes: Buffer }> => {
  const response = await render(id, key)
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, bytes.toString())
  return { bytes, ...readPdf(bytes) }
}

const choose = async (bytes: Buffer): Promise<string> => {
  const { id } = await attach(issuer.key, bytes)
  await setProfile(running, issuer, { logo_attachment: id })
  return id
}

const shows = ({ streams }: ReadPdf, picture: Buffer): boolean =>
  [...streams.values()].some((data) => data.equals(drawnPicture(picture).data))

const blue = plainPng(40, 10, [29, 79, 115])
const faded = plainPng(30, 30, [29, 79, 115, 128])

describe('domain 7: the logo of the issuer', () => {
  test('is a figure with a text for who cannot see it, in the same bytes for both sides', async () => {
    await choose(blue)
    const { id } = await anInvoice(running, pair)
    const pdf = await pdfOf(id)
    assert(shows(pdf, blue))
    for (const part of [
      '/S /Figure',
      '/Alt (Logo of Corner Shop BV)',
      '/BBox [',
      '/Placement /Block',
      '/Subtype /Image',
      '/Width 40',
      '/Height 10',
      '/ColorSpace /DeviceRGB',
    ]) {
      assert(pdf.structure.includes(part), part)
    }
    assert((await pdfOf(id, counterparty.key)).bytes.equals(pdf.bytes))
  })

  test('is laid on white where it is transparent: a PDF/A takes no mask for granted', async () => {
    await choose(faded)
    const pdf = await pdfOf((await anInvoice(running, pair)).id)
    assert(shows(pdf, faded))
    assert(!/SMask|Interpolate/.test(pdf.structure))
  })

  test('may be a JPEG, which passes without its metadata', async () => {
    await choose(withSegment(aJpeg, 0xe1, 'Exif, with a place'))
    const pdf = await pdfOf((await anInvoice(running, pair)).id)
    assert(pdf.structure.includes('/Filter /DCTDecode'))
    assert(shows(pdf, aJpeg))
    assert(!pdf.bytes.includes('with a place'))
  })

  test('stays as it was at issue; a draft shows the present one', async () => {
    await choose(blue)
    const invoice = await anInvoice(running, pair)
    const draft = await aDraft(running, pair)
    const before = await pdfOf(invoice.id)
    await choose(faded)
    assert((await pdfOf(invoice.id)).bytes.equals(before.bytes))
    assert(shows(await pdfOf(draft.id), faded))
    await setProfile(running, issuer, { logo_attachment: null })
    assert((await pdfOf(invoice.id)).bytes.equals(before.bytes))
    const { structure } = await pdfOf((await anInvoice(running, pair)).id)
    assert(!structure.includes('/S /Figure'))
  })

  test('is the file that was attached, or the PDF is refused', async () => {
    const logo = await choose(plainPng(5, 5, [9, 9, 9]))
    const { id } = await anInvoice(running, pair)
    const folder = join(running.service.context.config.dataDir, 'attachments')
    const names = await readdir(folder, { recursive: true })
    const file = names.find((name) => name.endsWith(decodeId('att', logo)!))!
    await writeFile(join(folder, file), plainPng(5, 5, [8, 8, 8]))
    const path = `/v1/documents/${id}/render?format=pdf`
    assertRefused(await callApi(running, 'GET', path, issuer), 'integrity_failure')
  })
})
