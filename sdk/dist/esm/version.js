export const sdkVersion = '1.15.0';
