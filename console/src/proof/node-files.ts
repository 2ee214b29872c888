/** What the published verifier uses of Node.js on its command line, which a browser does not have. */
const absent = (): never => {
  throw new Error('a browser has no files')
}

export const readFileSync = absent
export const realpathSync = absent
export const fileURLToPath = absent
/** Of the file inside a PDF. */
export const inflateSync = absent
