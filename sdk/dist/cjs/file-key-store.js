"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.FileKeyStore = void 0;
const promises_1 = require("node:fs/promises");
class FileKeyStore {
    #path;
    #last = Promise.resolve();
    constructor(path) {
        this.#path = path;
    }
    async get(name) {
        await this.#last;
        return (await this.#read())[name];
    }
    set(name, key) {
        const written = this.#write(this.#last, name, key);
        this.#last = written.catch(() => undefined);
        return written;
    }
    async #write(last, name, key) {
        await last;
        const { [name]: _, ...others } = await this.#read();
        const keys = key === undefined ? others : { ...others, [name]: key };
        await (0, promises_1.writeFile)(`${this.#path}.new`, JSON.stringify(keys), { mode: 0o600 });
        await (0, promises_1.rename)(`${this.#path}.new`, this.#path);
    }
    async #read() {
        try {
            return JSON.parse(await (0, promises_1.readFile)(this.#path, 'utf8'));
        }
        catch (error) {
            if (error.code === 'ENOENT')
                return {};
            throw error;
        }
    }
}
exports.FileKeyStore = FileKeyStore;
