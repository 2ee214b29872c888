/** The PDF of a document, with the XML, the proof and the logo that belong to it. */
import { hash } from 'node:crypto'
import type { Call } from '../../context.ts'
import { logoOf } from '../../changes/identity/organization-profile.ts'
import { encodeId } from '../../core/ids.ts'
import type { ExportedDocument } from '../../core/interop/exported-document.ts'
import { facturXOf } from '../../core/interop/render-formats.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'
import { proofBundle } from '../provenance/provenance.ts'
import { intactBytes } from './attachment-files.ts'

export const documentPdf = async (
  call: Call,
  { id, issuer_id: issuer }: LoadedDocument,
  { exported, hasProof }: { exported: ExportedDocument; hasProof: boolean },
): Promise<Buffer> => {
  const logo = await logoOf(call.read, issuer, exported.parties.issuer)
  const job = {
    document: exported,
    xml: facturXOf(exported),
    logo: logo?.sha256.toString('hex'),
    proof: hasProof ? await proofOf(call, id) : undefined,
  }
  return call.context.pdfs.make(call.requester, job, async () => ({
    logo: logo && (await intactBytes(call.context, logo)),
  }))
}

/** The caller's bundle as a file, with what its page says of it. */
const proofOf = async (call: Call, id: string) => {
  const { text, seq } = await proofBundle(call, id)
  const name = `${encodeId('doc', id)}.${seq}.svc-proof.json`
  return { name, text, seq, digest: hash('sha256', text) }
}
