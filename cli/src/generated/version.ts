/** Generated from the operations by `npm run generate`: do not edit. */
export const cliVersion = '1.16.0'
