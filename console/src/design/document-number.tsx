/** The number of a document that is known by its id; room for it while it is read. */
import { useDocumentNumber } from '../api/document-numbers.ts'

export const DocumentNumber = ({ id }: { id: string }) => {
  const number = useDocumentNumber(id)
  return number === undefined ? <>&nbsp;</> : number
}
