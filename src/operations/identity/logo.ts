/** The logo of an organization: a picture that it has attached to a document itself. */
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import type { Call } from '../../context.ts'
import { type Refusal, invalidRequest, notFound } from '../../contract/errors.ts'
import { interopLimits } from '../../contract/interop-limits.ts'
import { decodeId } from '../../core/ids.ts'
import { PictureRefused } from '../../core/pictures/drawn-picture.ts'
import { readPicture } from '../../core/pictures/picture.ts'
import { isPngData, pngDataLength } from '../../core/pictures/png.ts'
import { attachmentVisibleTo } from '../../store/documents/attachments.ts'
import { intactBytes } from '../documents/attachment-files.ts'

const param = '/profile/logo_attachment'

/** Outside of a transaction, since the file store may be a third party. */
export const checkLogo = async (call: Call, id: string): Promise<void> => {
  const { context, organization, read } = call
  const attachment = await attachmentVisibleTo(read, organization.id, decodeId('att', id)!)
  if (attachment?.uploaded_by !== organization.id) throw notFound('attachment', id, param)
  if (attachment.size > interopLimits.logoMaxBytes)
    throw refusedLogo(`It has more than ${interopLimits.logoMaxBytes / 1024 / 1024} MiB.`)
  try {
    await checkPicture(await intactBytes(context, attachment))
  } catch (error) {
    if (error instanceof PictureRefused) throw refusedLogo(error.message)
    throw error
  }
}

const inflated = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)

/** Decompressed in the thread pool; what it holds is drawn when a PDF is made. */
const checkPicture = async (bytes: Buffer): Promise<void> => {
  const picture = readPicture(bytes)
  if (picture.format === 'jpeg') return
  const maxOutputLength = pngDataLength(picture)
  const data = await inflated(picture.compressed, { maxOutputLength }).catch(() => undefined)
  if (data === undefined || !isPngData(picture, data))
    throw new PictureRefused('Its PNG is damaged.')
}

const refusedLogo = (reason: string): Refusal =>
  invalidRequest({
    param,
    code: 'invalid_value',
    message: `This attachment is no logo. ${reason}`,
    fix: 'attach a PNG or JPEG of at most 1 MiB to a document of yours and send its id',
  })
