export class DocexError extends Error {
    idempotencyKey;
    constructor(message, options) {
        super(message, options);
        this.name = new.target.name;
    }
}
export class ApiError extends DocexError {
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
export class ConnectionError extends DocexError {
}
export class TimeoutError extends ConnectionError {
}
export class SignatureError extends DocexError {
}
