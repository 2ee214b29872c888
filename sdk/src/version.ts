/** Generated from the operations by `npm run generate`: do not edit. */
export const sdkVersion = '1.16.0'
