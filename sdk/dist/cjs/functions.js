"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __exportStar = (this && this.__exportStar) || function(m, exports) {
    for (var p in m) if (p !== "default" && !Object.prototype.hasOwnProperty.call(exports, p)) __createBinding(exports, m, p);
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.eventsFollow = exports.TimeoutError = exports.DocexError = exports.ConnectionError = exports.ApiError = exports.createClient = void 0;
var client_ts_1 = require("./client.js");
Object.defineProperty(exports, "createClient", { enumerable: true, get: function () { return client_ts_1.createClient; } });
var errors_ts_1 = require("./errors.js");
Object.defineProperty(exports, "ApiError", { enumerable: true, get: function () { return errors_ts_1.ApiError; } });
Object.defineProperty(exports, "ConnectionError", { enumerable: true, get: function () { return errors_ts_1.ConnectionError; } });
Object.defineProperty(exports, "DocexError", { enumerable: true, get: function () { return errors_ts_1.DocexError; } });
Object.defineProperty(exports, "TimeoutError", { enumerable: true, get: function () { return errors_ts_1.TimeoutError; } });
var follow_ts_1 = require("./follow.js");
Object.defineProperty(exports, "eventsFollow", { enumerable: true, get: function () { return follow_ts_1.eventsFollow; } });
__exportStar(require("./generated/functions.js"), exports);
