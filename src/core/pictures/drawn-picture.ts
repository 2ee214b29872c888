/** A picture as a PDF takes it. */

/** Why bytes are no picture that can be drawn, for whoever sent them. */
export class PictureRefused extends Error {}

export interface PictureSize {
  width: number
  height: number
}

export interface DrawnPicture extends PictureSize {
  /** Grey, or red, green and blue, of 8 bits each. */
  colors: 1 | 3
  /** `jpeg`, or `raw` rows from the top. */
  encoding: 'jpeg' | 'raw'
  data: Buffer
}
