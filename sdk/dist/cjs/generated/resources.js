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
var __setModuleDefault = (this && this.__setModuleDefault) || (Object.create ? (function(o, v) {
    Object.defineProperty(o, "default", { enumerable: true, value: v });
}) : function(o, v) {
    o["default"] = v;
});
var __importStar = (this && this.__importStar) || (function () {
    var ownKeys = function(o) {
        ownKeys = Object.getOwnPropertyNames || function (o) {
            var ar = [];
            for (var k in o) if (Object.prototype.hasOwnProperty.call(o, k)) ar[ar.length] = k;
            return ar;
        };
        return ownKeys(o);
    };
    return function (mod) {
        if (mod && mod.__esModule) return mod;
        var result = {};
        if (mod != null) for (var k = ownKeys(mod), i = 0; i < k.length; i++) if (k[i] !== "default") __createBinding(result, mod, k[i]);
        __setModuleDefault(result, mod);
        return result;
    };
})();
Object.defineProperty(exports, "__esModule", { value: true });
exports.Docex = exports.SpecificationResource = exports.SandboxResource = exports.SandboxDemoResource = exports.SandboxPaymentsResource = exports.SandboxClockResource = exports.EnablementResource = exports.IdempotencyResource = exports.MeResource = exports.SandboxesResource = exports.RequestsResource = exports.KeysResource = exports.LogResource = exports.DeliveriesResource = exports.WebhooksResource = exports.EventsResource = exports.TreasuryResource = exports.TreasuryTransactionsResource = exports.TreasuryBalancesResource = exports.TreasuryAccountsResource = exports.PaymentsResource = exports.ConnectionsResource = exports.AttachmentsResource = exports.DocumentsResource = void 0;
const client_ts_1 = require("../client.js");
const follow_ts_1 = require("../follow.js");
const f = __importStar(require("./functions.js"));
class DocumentsResource {
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
exports.DocumentsResource = DocumentsResource;
class AttachmentsResource {
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
exports.AttachmentsResource = AttachmentsResource;
class ConnectionsResource {
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
exports.ConnectionsResource = ConnectionsResource;
class PaymentsResource {
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
exports.PaymentsResource = PaymentsResource;
class TreasuryAccountsResource {
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
exports.TreasuryAccountsResource = TreasuryAccountsResource;
class TreasuryBalancesResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.treasuryBalancesList(this.#client, query, options);
    }
}
exports.TreasuryBalancesResource = TreasuryBalancesResource;
class TreasuryTransactionsResource {
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
exports.TreasuryTransactionsResource = TreasuryTransactionsResource;
class TreasuryResource {
    accounts;
    balances;
    transactions;
    constructor(client) {
        this.accounts = new TreasuryAccountsResource(client);
        this.balances = new TreasuryBalancesResource(client);
        this.transactions = new TreasuryTransactionsResource(client);
    }
}
exports.TreasuryResource = TreasuryResource;
class EventsResource {
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
        return (0, follow_ts_1.eventsFollow)(this.#client, options);
    }
}
exports.EventsResource = EventsResource;
class WebhooksResource {
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
exports.WebhooksResource = WebhooksResource;
class DeliveriesResource {
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
exports.DeliveriesResource = DeliveriesResource;
class LogResource {
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
exports.LogResource = LogResource;
class KeysResource {
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
exports.KeysResource = KeysResource;
class RequestsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    list(query, options) {
        return f.requestsList(this.#client, query, options);
    }
}
exports.RequestsResource = RequestsResource;
class SandboxesResource {
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
exports.SandboxesResource = SandboxesResource;
class MeResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(options) {
        return f.meGet(this.#client, options);
    }
}
exports.MeResource = MeResource;
class IdempotencyResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(key, options) {
        return f.idempotencyGet(this.#client, key, options);
    }
}
exports.IdempotencyResource = IdempotencyResource;
class EnablementResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(options) {
        return f.enablementGet(this.#client, options);
    }
}
exports.EnablementResource = EnablementResource;
class SandboxClockResource {
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
exports.SandboxClockResource = SandboxClockResource;
class SandboxPaymentsResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    simulate(id, body, options) {
        return f.sandboxPaymentsSimulate(this.#client, id, body, options);
    }
}
exports.SandboxPaymentsResource = SandboxPaymentsResource;
class SandboxDemoResource {
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
exports.SandboxDemoResource = SandboxDemoResource;
class SandboxResource {
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
exports.SandboxResource = SandboxResource;
class SpecificationResource {
    #client;
    constructor(client) {
        this.#client = client;
    }
    get(options) {
        return f.specificationGet(this.#client, options);
    }
}
exports.SpecificationResource = SpecificationResource;
class Docex {
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
        const client = (0, client_ts_1.createClient)(options);
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
exports.Docex = Docex;
