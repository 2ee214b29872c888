import { readFile, rename, writeFile } from 'node:fs/promises';
export class FileKeyStore {
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
        await writeFile(`${this.#path}.new`, JSON.stringify(keys), { mode: 0o600 });
        await rename(`${this.#path}.new`, this.#path);
    }
    async #read() {
        try {
            return JSON.parse(await readFile(this.#path, 'utf8'));
        }
        catch (error) {
            if (error.code === 'ENOENT')
                return {};
            throw error;
        }
    }
}
