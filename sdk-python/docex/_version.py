# Generated from the operations by `npm run generate`: do not edit.
VERSION = "1.16.0"
