/** What a call returns: a promise of the data, which also has the rest of the response. */
export interface ApiResponse<T> {
    data: T;
    status: number;
    requestId: string;
    headers: Headers;
    /** The stored response of an earlier attempt of the same write. */
    replayed: boolean;
}
export declare class ApiPromise<T> extends Promise<T> {
    #private;
    constructor(response: Promise<ApiResponse<T>>);
    /** `then` makes ordinary promises. */
    static get [Symbol.species](): PromiseConstructor;
    /** The data with the status, headers and id of the request. */
    withResponse(): Promise<ApiResponse<T>>;
}
