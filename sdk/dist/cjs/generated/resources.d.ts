import type * as esm from '../../esm/generated/resources.js' with { 'resolution-mode': 'import' }
export type * from '../../esm/generated/resources.js' with { 'resolution-mode': 'import' }
export type Docex = esm.Docex
export declare const Docex: typeof esm.Docex
