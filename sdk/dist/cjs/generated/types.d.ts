export type * from '../../esm/generated/types.js' with { 'resolution-mode': 'import' }
