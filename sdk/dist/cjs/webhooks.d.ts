import type { Event } from './generated/types.js';
export { SignatureError } from './errors.js';
export type { Event } from './generated/types.js';
/** The event of `webhooks.ping`. */
export interface PingEvent {
    id: string;
    type: 'ping';
    created_at: string;
    data: Record<string, never>;
}
export type WebhookEvent = Event | PingEvent;
type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;
/**
 * The event of a delivery. Throws SignatureError unless it was signed with the secret within 300
 * seconds. `header` is the value of `Svc-Signature`, or all headers.
 */
export declare const constructEvent: (payload: string | Uint8Array, header: string | Headers | HeaderRecord, secret: string, { now }?: {
    now?: number;
}) => Promise<WebhookEvent>;
/** A value of `Svc-Signature`, for tests of a receiver. */
export declare const signPayload: (payload: string | Uint8Array, secret: string, { now }?: {
    now?: number;
}) => Promise<string>;
