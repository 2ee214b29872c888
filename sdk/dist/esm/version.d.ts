/** Generated from the operations by `npm run generate`: do not edit. */
export declare const sdkVersion = "1.15.0";
