"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SignatureError = exports.TimeoutError = exports.ConnectionError = exports.ApiError = exports.DocexError = void 0;
class DocexError extends Error {
    idempotencyKey;
    constructor(message, options) {
        super(message, options);
        this.name = new.target.name;
    }
}
exports.DocexError = DocexError;
class ApiError extends DocexError {
    code;
    status;
    requestId;
    docsUrl;
    details;
    headers;
    constructor(status, envelope, headers) {
        const { code, message, docs_url, request_id, details } = envelope.error;
        super(message);
        this.code = code;
        this.status = status;
        this.requestId = request_id;
        this.docsUrl = docs_url;
        this.details = details;
        this.headers = headers;
    }
    is(code) {
        return this.code === code;
    }
}
exports.ApiError = ApiError;
class ConnectionError extends DocexError {
}
exports.ConnectionError = ConnectionError;
class TimeoutError extends ConnectionError {
}
exports.TimeoutError = TimeoutError;
class SignatureError extends DocexError {
}
exports.SignatureError = SignatureError;
