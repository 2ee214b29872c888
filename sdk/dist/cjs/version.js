"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.sdkVersion = void 0;
exports.sdkVersion = '1.15.0';
