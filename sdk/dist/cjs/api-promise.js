"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ApiPromise = void 0;
class ApiPromise extends Promise {
    #response;
    constructor(response) {
        super((resolve, reject) => {
            response.then(({ data }) => resolve(data), reject);
        });
        this.#response = response;
    }
    static get [Symbol.species]() {
        return Promise;
    }
    withResponse() {
        this.catch(() => undefined);
        return this.#response;
    }
}
exports.ApiPromise = ApiPromise;
