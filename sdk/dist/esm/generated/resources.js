import { createClient } from '../client.js';
import { eventsFollow } from '../follow.js';
import * as f from './functions.js';
export class DocumentsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.documentsList(this.#client, query, options);
    }
    changes(query, options) {
        return f.documentsChanges(this.#client, query, options);
    }
    create(body, options) {
        return f.documentsCreate(this.#client, body, options);
    }
    get(id, options) {
        return f.documentsGet(this.#client, id, options);
    }
    update(id, body, options) {
        return f.documentsUpdate(this.#client, id, body, options);
    }
    issue(id, options) {
        return f.documentsIssue(this.#client, id, options);
    }
    transition(id, body, options) {
        return f.documentsTransition(this.#client, id, body, options);
    }
    transitions(id, options) {
        return f.documentsTransitions(this.#client, id, options);
    }
    convert(id, body, options) {
        return f.documentsConvert(this.#client, id, body, options);
    }
    pay(id, body, options) {
        return f.documentsPay(this.#client, id, body, options);
    }
    history(id, options) {
        return f.documentsHistory(this.#client, id, options);
    }
    lineage(id, options) {
        return f.documentsLineage(this.#client, id, options);
    }
    export(id, options) {
        return f.documentsExport(this.#client, id, options);
    }
    receipt(id, seq, options) {
        return f.documentsReceipt(this.#client, id, seq, options);
    }
}
export class AttachmentsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(id, query, options) {
        return f.attachmentsList(this.#client, id, query, options);
    }
    create(id, file, options) {
        return f.attachmentsCreate(this.#client, id, file, options);
    }
    get(id, attachmentId, options) {
        return f.attachmentsGet(this.#client, id, attachmentId, options);
    }
}
export class ConnectionsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.connectionsList(this.#client, query, options);
    }
    create(body, options) {
        return f.connectionsCreate(this.#client, body, options);
    }
    get(id, options) {
        return f.connectionsGet(this.#client, id, options);
    }
    accept(id, options) {
        return f.connectionsAccept(this.#client, id, options);
    }
    decline(id, options) {
        return f.connectionsDecline(this.#client, id, options);
    }
    end(id, options) {
        return f.connectionsEnd(this.#client, id, options);
    }
}
export class PaymentsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.paymentsList(this.#client, query, options);
    }
    changes(query, options) {
        return f.paymentsChanges(this.#client, query, options);
    }
    get(id, options) {
        return f.paymentsGet(this.#client, id, options);
    }
}
export class TreasuryAccountsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.treasuryAccountsList(this.#client, query, options);
    }
    get(id, options) {
        return f.treasuryAccountsGet(this.#client, id, options);
    }
}
export class TreasuryBalancesResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.treasuryBalancesList(this.#client, query, options);
    }
}
export class TreasuryTransactionsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.treasuryTransactionsList(this.#client, query, options);
    }
    get(id, options) {
        return f.treasuryTransactionsGet(this.#client, id, options);
    }
}
export class TreasuryResource {
    accounts;
    balances;
    transactions;
    constructor(client) {
        this.accounts = new TreasuryAccountsResource(client);
        this.balances = new TreasuryBalancesResource(client);
        this.transactions = new TreasuryTransactionsResource(client);
    }
}
export class EventsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.eventsList(this.#client, query, options);
    }
    get(id, options) {
        return f.eventsGet(this.#client, id, options);
    }
    follow(options) {
        return eventsFollow(this.#client, options);
    }
}
export class WebhooksResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.webhooksList(this.#client, query, options);
    }
    create(body, options) {
        return f.webhooksCreate(this.#client, body, options);
    }
    get(id, options) {
        return f.webhooksGet(this.#client, id, options);
    }
    update(id, body, options) {
        return f.webhooksUpdate(this.#client, id, body, options);
    }
    delete(id, options) {
        return f.webhooksDelete(this.#client, id, options);
    }
    rotateSecret(id, options) {
        return f.webhooksRotateSecret(this.#client, id, options);
    }
    ping(id, options) {
        return f.webhooksPing(this.#client, id, options);
    }
}
export class DeliveriesResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(id, query, options) {
        return f.deliveriesList(this.#client, id, query, options);
    }
    get(id, deliveryId, options) {
        return f.deliveriesGet(this.#client, id, deliveryId, options);
    }
    redeliver(id, deliveryId, options) {
        return f.deliveriesRedeliver(this.#client, id, deliveryId, options);
    }
    recover(id, body, options) {
        return f.deliveriesRecover(this.#client, id, body, options);
    }
}
export class LogResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    keys(options) {
        return f.logKeys(this.#client, options);
    }
    checkpoint(options) {
        return f.logCheckpoint(this.#client, options);
    }
    consistency(query, options) {
        return f.logConsistency(this.#client, query, options);
    }
    epochs(options) {
        return f.logEpochs(this.#client, options);
    }
}
export class KeysResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.keysList(this.#client, query, options);
    }
    create(body, options) {
        return f.keysCreate(this.#client, body, options);
    }
    get(id, options) {
        return f.keysGet(this.#client, id, options);
    }
    rotate(id, options) {
        return f.keysRotate(this.#client, id, options);
    }
    revoke(id, options) {
        return f.keysRevoke(this.#client, id, options);
    }
}
export class RequestsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.requestsList(this.#client, query, options);
    }
}
export class SandboxesResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.sandboxesList(this.#client, query, options);
    }
    create(body, options) {
        return f.sandboxesCreate(this.#client, body, options);
    }
}
export class MeResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(options) {
        return f.meGet(this.#client, options);
    }
}
export class IdempotencyResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(key, options) {
        return f.idempotencyGet(this.#client, key, options);
    }
}
export class EnablementResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(options) {
        return f.enablementGet(this.#client, options);
    }
}
export class SandboxClockResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(options) {
        return f.sandboxClockGet(this.#client, options);
    }
    advance(body, options) {
        return f.sandboxClockAdvance(this.#client, body, options);
    }
}
export class SandboxPaymentsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    simulate(id, body, options) {
        return f.sandboxPaymentsSimulate(this.#client, id, body, options);
    }
}
export class SandboxDemoResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    createDocument(body, options) {
        return f.sandboxDemoCreateDocument(this.#client, body, options);
    }
    transition(body, options) {
        return f.sandboxDemoTransition(this.#client, body, options);
    }
}
export class SandboxResource {
    clock;
    payments;
    demo;
    #client;
    constructor(client) {
        this.#client = client;
        this.clock = new SandboxClockResource(client);
        this.payments = new SandboxPaymentsResource(client);
        this.demo = new SandboxDemoResource(client);
    }
    topup(body, options) {
        return f.sandboxTopup(this.#client, body, options);
    }
    reset(options) {
        return f.sandboxReset(this.#client, options);
    }
}
export class SpecificationResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(options) {
        return f.specificationGet(this.#client, options);
    }
}
export class Docex {
    documents;
    attachments;
    connections;
    payments;
    treasury;
    events;
    webhooks;
    deliveries;
    log;
    keys;
    requests;
    sandboxes;
    me;
    idempotency;
    enablement;
    sandbox;
    specification;
    constructor(options = {}) {
        const client = createClient(options);
        this.documents = new DocumentsResource(client);
        this.attachments = new AttachmentsResource(client);
        this.connections = new ConnectionsResource(client);
        this.payments = new PaymentsResource(client);
        this.treasury = new TreasuryResource(client);
        this.events = new EventsResource(client);
        this.webhooks = new WebhooksResource(client);
        this.deliveries = new DeliveriesResource(client);
        this.log = new LogResource(client);
        this.keys = new KeysResource(client);
        this.requests = new RequestsResource(client);
        this.sandboxes = new SandboxesResource(client);
        this.me = new MeResource(client);
        this.idempotency = new IdempotencyResource(client);
        this.enablement = new EnablementResource(client);
        this.sandbox = new SandboxResource(client);
        this.specification = new SpecificationResource(client);
    }
}
