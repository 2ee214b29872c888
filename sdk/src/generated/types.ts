/** Generated from the operations by `npm run generate`: do not edit. */
/** A document as the calling organization sees it. */
export interface DocumentRecord {
  /** The document. */
  id: string
  /** The connection to which it belongs. */
  connection_id: string
  /** The document type. */
  document_type: DocumentTypeName
  number: string | null
  issuer_number: string | null
  /** The viewer's side. */
  direction: "issued" | "received"
  /** The viewer's name for the type. */
  label: string
  /** The current status. */
  status: DocumentStatus
  /** The lifecycle phase of the status. */
  phase: DocumentPhase
  /** Whether a key or a signed-in user created it. */
  origin: "api" | "app"
  /** The date on the document. */
  document_date: string
  due_date: string | null
  net_days: number | null
  early_payment: {
    percent: number
    days: number
    /** Last day of the discount. */
    until: string
  } | null
  valid_until: string | null
  payment_terms: string | null
  /** ISO 4217. */
  currency: Currency
  line_items: LineItemView[]
  /** Sum of the lines, net. Major units, at most 2 decimals. */
  subtotal: number
  /** Sum of the discounts. Major units, at most 2 decimals. */
  discount_total: number
  /** Sum over the tax rates. Major units, at most 2 decimals. */
  tax: number
  tax_breakdown: {
    tax_rate: number
    /** Sum of net. Major units, at most 2 decimals. */
    taxable: number
    /** Tax on that sum. Major units, at most 2 decimals. */
    tax: number
  }[]
  /** Subtotal + tax. Major units, at most 2 decimals. */
  total: number
  notes: string | null
  /** The issuer's references. */
  external_refs: Record<string, string>
  references: {
    /** How this document relates to the other. */
    rel: "credits" | "fulfils" | "converts" | "bills" | "supersedes" | "relates_to"
    /** A document on the same connection that is visible to the caller. */
    document_id: string
  }[]
  /** A party, with the name it had when the document was written. */
  issuer: {
    /** The organization. */
    organization_id: string
    name: string
  }
  /** A party, with the name it had when the document was written. */
  counterparty: {
    /** The organization. */
    organization_id: string
    name: string
  }
  /** Paid so far. Major units, at most 2 decimals. */
  amount_paid: number
  /** Credited so far. Major units, at most 2 decimals. */
  amount_credited: number
  /** Credit notes: amount applied to the invoice. Major units, at most 2 decimals. */
  amount_applied?: number
  /** What is owed now: total − paid − credited; 0 for a type that nobody pays, and once settled or closed. Major units, at most 2 decimals. */
  balance_due: number
  /** Issued, still owed, and past its due date. */
  overdue: boolean
  /** Whether the viewer can pay it now. */
  payable: boolean
  payment: Payment | null
  dispute: {
    /** The side that raised it. */
    raised_by: "issuer" | "counterparty"
    reason_code: string | null
    note: string | null
    /** When it was raised. */
    opened_at: string
    from_status: string
  } | null
  pledge?: {
    /** The finance agreement that the document secures (issuer only). */
    agreement_id?: string
    /** Recorded when the offer was accepted, assigned when the loan was funded, and released. */
    status: "recorded" | "assigned" | "released"
    /** Since when. */
    since: string
  } | null
  /** The issuer's own data (issuer only). */
  metadata?: Record<string, string>
  /** Statuses to which the viewer can move it now, as in `details.allowed`. */
  allowed_transitions: string[]
  /** Drafts only, and not in events: whether issuing it now would be refused by nothing. */
  issuable?: boolean
  /** Drafts only, and not in events: why issuing it now would be refused. */
  blockers?: ("connection_not_active" | "terms_date_past" | "reference_not_issued" | "not_convertible" | "already_converted" | "not_creditable" | "too_many_changes" | "integrity_hold")[]
  issued_at: string | null
  /** When the draft was created. */
  created_at: string
  /** When it last changed. */
  updated_at: string
  /** Number of changes; also the ETag. */
  revision: number
  /** In the response of a dry run only: what you may not have meant. */
  warnings?: {
    /** A JSON pointer into the body. */
    param: string
    /** What it is about. */
    code: "early_period_too_long" | "no_due_date"
    /** What the service makes of the value, and what to send. */
    message: string
  }[]
  /** What became of the file. */
  import?: {
    /** What the file is. */
    format: "ubl" | "cii" | "facturx" | "csv"
    /** Header, seller, buyer, totals and taxes, then line by line; at most 500. If there are more, the last entry names the lines that are left off. */
    understood: {
      field: string
      /** Of EN 16931. */
      term: string
      /** As the file has it. */
      value: string
    }[]
    /** At most 100, shortened. */
    ignored: {
      source: string
      value: string
    }[]
    /** What was taken as it is, and may not be meant. */
    warnings: {
      /** What it is about. */
      code: "buyer_differs" | "payee_differs" | "imported_before" | "too_long" | "terms_differ" | "default_terms"
      /** Of the draft, or what was compared with it. */
      field: string
      message: string
      file: string | null
      /** What the record says, the id of a document, or a bound. */
      record: string
    }[]
  }
}

/** Documents, newest first. */
export interface DocumentPage {
  data: DocumentRecord[]
  next_cursor: string | null
  has_more: boolean
}

/** A new draft. The caller is its issuer. */
export interface DocumentCreate {
  /** The connection to which the document belongs. */
  connection_id: string
  /** The document type. Agreements, disbursements and repayments come from POST /v1/finance/offers/{id}/accept. */
  document_type: "invoice" | "credit_note" | "purchase_order" | "quote" | "contract" | "delivery_note" | "goods_receipt" | "statement"
  /** 1 to 200 lines. Replaced as a whole. */
  line_items: readonly LineItem[]
  /** ISO 4217. Defaults to the connection's currency. */
  currency?: Currency | undefined
  payment_terms?: string | null | undefined
  notes?: string | null | undefined
  /** The issuer's references, shown to both sides once issued; `issuer_ref` holds its own number. Exports carry `buyer_ref` as the buyer reference (BT-10) and `order_ref` as the number of the buyer's order (BT-13). */
  external_refs?: Record<string, string> | undefined
  /** For the issuer only, never shown to the counterparty. */
  metadata?: Record<string, string> | undefined
  /** Absent = the day on which the document is issued. */
  document_date?: string | undefined
  due_date?: string | null | undefined
  valid_until?: string | null | undefined
  references?: readonly {
    /** How this document relates to the other. */
    rel: "credits" | "fulfils" | "converts" | "bills" | "supersedes" | "relates_to"
    /** A document on the same connection that is visible to the caller. */
    document_id: string
  }[] | undefined
}

/** The fields to change in a draft. Line items and maps are replaced as a whole. */
export interface DocumentEdit {
  /** 1 to 200 lines. Replaced as a whole. */
  line_items?: readonly LineItem[] | undefined
  /** ISO 4217. Defaults to the connection's currency. */
  currency?: Currency | undefined
  payment_terms?: string | null | undefined
  notes?: string | null | undefined
  /** The issuer's references, shown to both sides once issued; `issuer_ref` holds its own number. Exports carry `buyer_ref` as the buyer reference (BT-10) and `order_ref` as the number of the buyer's order (BT-13). */
  external_refs?: Record<string, string> | undefined
  /** For the issuer only, never shown to the counterparty. */
  metadata?: Record<string, string> | undefined
  /** Absent = the day on which the document is issued. */
  document_date?: string | undefined
  due_date?: string | null | undefined
  valid_until?: string | null | undefined
  references?: readonly {
    /** How this document relates to the other. */
    rel: "credits" | "fulfils" | "converts" | "bills" | "supersedes" | "relates_to"
    /** A document on the same connection that is visible to the caller. */
    document_id: string
  }[] | undefined
}

/** The document in the requested format; JSON unless another one is asked for. */
export type RenderedDocument = unknown

/** The rules that an export would break, none of them fatal if it can be sent, and what it says that the document does not. */
export interface ExportChecks {
  problems: {
    /** As its publisher names it, the business term of what an export implies, or `PDF-FONT`. */
    rule: string
    /** What to mend, in the profile of a party or in the document. */
    field: string
    message: string
    /** Receivers refuse the document. */
    fatal: boolean
  }[]
}

/** A transition to another status. */
export interface TransitionRequest {
  /** The target status. */
  to: DocumentStatus
  /** ach or wire for USD, sepa for EUR, faster_payments for GBP, eft for CAD, book for any. */
  payment_method?: PaymentMethod | undefined
  /** One of the payer's treasury accounts; in the sandbox also a test account like acct_test_async. */
  source_account_id?: string | undefined
  /** Payment targets only: when to pay. */
  scheduled_for?: string | undefined
  /** The reason, from the code list of the Peppol invoice response. */
  reason_code?: "REF" | "LEG" | "REC" | "QUA" | "DEL" | "PRI" | "QTY" | "ITM" | "PAY" | "UNR" | "FIN" | "PPD" | "OTH" | undefined
  /** The reason, in words. */
  note?: string | undefined
}

/** The transitions that the caller may make now. */
export interface Transitions {
  /** The current status. */
  status: DocumentStatus
  allowed: {
    /** A legal target status. */
    to: DocumentStatus
    /** The scopes that a key needs for it. */
    scopes: Scope[]
  }[]
  /** The side that has to act next. */
  waiting_on: "issuer" | "counterparty" | "none"
}

/** The new document. Line items, currency and terms are copied from the source unless sent. */
export interface DocumentConvert {
  /** The type of the new document (quote → purchase_order, invoice; purchase_order → invoice, delivery_note, goods_receipt; contract → purchase_order, invoice; invoice → credit_note). */
  document_type: DocumentTypeName
  /** 1 to 200 lines. Replaced as a whole. */
  line_items?: readonly LineItem[] | undefined
  /** ISO 4217. Defaults to the connection's currency. */
  currency?: Currency | undefined
  payment_terms?: string | null | undefined
  notes?: string | null | undefined
  /** The issuer's references, shown to both sides once issued; `issuer_ref` holds its own number. Exports carry `buyer_ref` as the buyer reference (BT-10) and `order_ref` as the number of the buyer's order (BT-13). */
  external_refs?: Record<string, string> | undefined
  /** For the issuer only, never shown to the counterparty. */
  metadata?: Record<string, string> | undefined
  /** Absent = the day on which the document is issued. */
  document_date?: string | undefined
  due_date?: string | null | undefined
  valid_until?: string | null | undefined
  references?: readonly {
    /** How this document relates to the other. */
    rel: "credits" | "fulfils" | "converts" | "bills" | "supersedes" | "relates_to"
    /** A document on the same connection that is visible to the caller. */
    document_id: string
  }[] | undefined
}

/** A line as the issuer sends it. */
export interface LineItem {
  /** The goods or services of the line. */
  description: string
  /** 0 or more, at most 6 decimals. */
  quantity: number
  /** 0 or more, at most 6 decimals, in the document's currency. */
  unit_price: number
  /** Decimal per line: 0.08 means 8 %; 0 for untaxed lines. */
  tax_rate: number
  sku?: string | null | undefined
  discount_type?: "percent" | "fixed" | null | undefined
  discount_value?: number | null | undefined
  tax_category?: "S" | "Z" | "E" | "AE" | "K" | "G" | "O" | null | undefined
}

/** A line with its derived amounts. */
export interface LineItemView {
  /** Line number, from 1. */
  line: number
  /** The goods or services of the line. */
  description: string
  /** 0 or more, at most 6 decimals. */
  quantity: number
  /** 0 or more, at most 6 decimals, in the document's currency. */
  unit_price: number
  /** Decimal per line: 0.08 means 8 %; 0 for untaxed lines. */
  tax_rate: number
  sku: string | null
  discount_type: "percent" | "fixed" | null
  discount_value: number | null
  tax_category: "S" | "Z" | "E" | "AE" | "K" | "G" | "O" | null
  /** Quantity × unit price. Major units, at most 2 decimals. */
  gross: number
  /** Amount of the discount. Major units, at most 2 decimals. */
  discount: number
  /** Gross − discount. Major units, at most 2 decimals. */
  net: number
  /** The line's share of the tax at its rate. Major units, at most 2 decimals. */
  tax_amount: number
  /** Net + tax. Major units, at most 2 decimals. */
  total: number
}

/** The calling organization. */
export interface Organization {
  /** The organization. */
  id: string
  name: string
  /** Live or sandbox. */
  mode: "live" | "sandbox"
  verified: boolean
  profile: OrganizationProfile
}

/** What exports say of the organization. Frozen into a document when it is issued. */
export interface OrganizationProfile {
  legal_name: string | null
  address: {
    line1: string | null
    line2: string | null
    city: string | null
    postal_code: string | null
    region: string | null
    country: string | null
  } | null
  vat_id: string | null
  company_id: string | null
  electronic_address: {
    /** Peppol code list EAS. */
    scheme: string
    id: string
  } | null
  bank: {
    iban: string | null
    bic: string | null
    account_name: string | null
  } | null
  logo_attachment: string | null
  /** The language of rendered documents. */
  locale: "en" | "de"
  time_zone: string
}

/** A change of the profile. */
export interface OrganizationUpdate {
  profile: OrganizationProfileUpdate
}

/** Absent fields stay; null removes. `address`, `electronic_address` and `bank` are replaced as a whole: what is absent in them is removed. */
export interface OrganizationProfileUpdate {
  legal_name?: string | null | undefined
  address?: {
    line1?: string | null | undefined
    line2?: string | null | undefined
    city?: string | null | undefined
    postal_code?: string | null | undefined
    region?: string | null | undefined
    country?: string | null | undefined
  } | null | undefined
  vat_id?: string | null | undefined
  company_id?: string | null | undefined
  electronic_address?: {
    /** Peppol code list EAS, such as 0088 (GLN). */
    scheme: string
    id: string
  } | null | undefined
  bank?: {
    iban?: string | null | undefined
    bic?: string | null | undefined
    account_name?: string | null | undefined
  } | null | undefined
  logo_attachment?: string | null | undefined
  /** The language of rendered documents. */
  locale?: "en" | "de" | undefined
  /** IANA. */
  time_zone?: string | undefined
}

/** A user who may act for the organization. */
export interface Member {
  /** The user. */
  user_id: string
  email: string
  name: string
  /** The role of the user in the organization. */
  role: MemberRole
  /** When the user became a member. */
  created_at: string
  last_used_at: string | null
}

/** Members, the newest first. */
export interface MemberPage {
  data: Member[]
  next_cursor: string | null
  has_more: boolean
}

/** A change of a member’s role. */
export interface MemberUpdate {
  /** `owner`: everything; only owners make and remove owners. `admin`: everything but changes of owners. `developer`: documents and proofs, without payments. `finance`: documents, payments and treasury. `approver`: reading, and the decision of approvals. `viewer`: reading. `member`: what developer and finance may do together. */
  role: MemberRole
}

/** An invitation to be a member. */
export interface MemberInvitation {
  /** The invitation. */
  id: string
  email: string
  /** The role that the person gets. */
  role: MemberRole
  /** What became of it. Also `revoked` while the user who invited may not give its role. */
  status: "pending" | "accepted" | "revoked" | "expired"
  /** The user who invited. */
  invited_by: string
  accepted_by: string | null
  /** When it was made. */
  created_at: string
  /** Until when it can be accepted. */
  expires_at: string
}

/** Invitations, newest first. */
export interface InvitationPage {
  data: MemberInvitation[]
  next_cursor: string | null
  has_more: boolean
}

/** An invitation of a person. */
export interface InvitationCreate {
  /** The address of the person. */
  email: string
  /** The role that the person gets. Only owners invite owners. */
  role: MemberRole
}

/** An invitation with its token. */
export interface MintedInvitation {
  /** The invitation. */
  id: string
  email: string
  /** The role that the person gets. */
  role: MemberRole
  /** What became of it. Also `revoked` while the user who invited may not give its role. */
  status: "pending" | "accepted" | "revoked" | "expired"
  /** The user who invited. */
  invited_by: string
  accepted_by: string | null
  /** When it was made. */
  created_at: string
  /** Until when it can be accepted. */
  expires_at: string
  token: string | null
}

/** A write that waits for the consent of a person. */
export interface Approval {
  /** The approval. */
  id: string
  /** The current status. */
  status: "pending" | "approved" | "executed" | "declined" | "stale" | "expired"
  /** What is to be approved, in words. */
  summary: string
  /** The SHA-256 of the statement in the canonical form of RFC 8785. */
  digest: string
  /** Exactly what is to be approved. */
  statement: Record<string, unknown>
  /** The operation that waits. */
  operation: "documents.pay" | "documents.transition" | "finance.offers.create" | "finance.offers.accept" | "finance.agreements.repay"
  /** What it pays, or binds to pay. Major units, at most 2 decimals. */
  amount: number
  /** ISO 4217. */
  currency: Currency
  key_id: string | null
  user_id: string | null
  requirements: {
    rule_id: string | null
    name: string | null
    /** How many have to approve. */
    approvers: number
    roles: MemberRole[] | null
    user_ids: string[] | null
  }[]
  decisions: {
    /** Who decided. */
    user_id: string
    /** What was decided. */
    decision: "approve" | "decline"
    reason: string | null
    /** When. */
    at: string
  }[]
  /** When it was asked for. */
  created_at: string
  /** Until when it can be approved and used. */
  expires_at: string
  ended_at: string | null
}

/** Approvals, the newest first. */
export interface ApprovalPage {
  data: Approval[]
  next_cursor: string | null
  has_more: boolean
}

/** Consent to exactly this. */
export interface ApprovalConsent {
  /** The digest of what you have read. */
  digest: string
}

/** A refusal to consent. */
export interface ApprovalDecline {
  /** Why, for whoever asked. */
  reason?: string | undefined
}

/** Sums to look at. The records themselves decide: read them for anything else. */
export interface Statistics {
  /** As asked. */
  metric: "cash_flow" | "ageing" | "documents" | "connections" | "projection" | "time_in_status" | "loans" | "requests"
  /** The first day. */
  from: string
  /** The last day. */
  to: string
  /** As asked. */
  interval: "day" | "week" | "month"
  /** Sums that are not 0, and all balances, by period, group, bucket and currency. */
  points: {
    start: string | null
    /** As the metric says. */
    group: string
    bucket: string | null
    /** ISO 4217. Amounts of different currencies are never added. */
    currency: Currency
    /** The sum. Only a projected balance can be negative. Major units, at most 2 decimals. */
    amount: number
    /** How many documents or payments; 1 for a balance. */
    count: number
    days_to_pay: {
      /** Half of the documents took no longer. */
      median: number
      /** Nine of ten took no longer. */
      p90: number
    } | null
  }[]
  /** Of the metrics without points; else empty. */
  counts: {
    start: string | null
    /** As the metric says. */
    group: string
    bucket: string | null
    /** How many. */
    count: number
    duration_ms: {
      /** Half took no longer. */
      median: number
      /** 95 % took no longer. */
      p95: number
    } | null
  }[]
  /** False if there are so many records that the oldest were left out. */
  is_complete: boolean
}

/** One record that was found. */
export interface SearchHit {
  /** What was found. */
  object: SearchedType
  /** Its id. */
  id: string
  /** Its name for a person. */
  title: string
  subtitle: string | null
  /** Why it was found. */
  match: {
    /** The field that matches best. */
    field: string
    /** Its value, shortened. */
    value: string
  }
}

/** The best results first; there is one page. */
export interface SearchResults {
  data: SearchHit[]
  next_cursor: string | null
  has_more: boolean
}

/** A comment of the caller's organization on a document; the other side never sees it. */
export interface DocumentComment {
  /** The comment. */
  id: string
  text: string
  /** Who wrote it. */
  author: {
    /** A person, or a program. */
    kind: "user" | "api_key"
    /** The user or the key. */
    id: string
    /** Its name now. */
    name: string
  }
  /** When it was written. */
  created_at: string
}

/** Comments, the newest first. */
export interface DocumentCommentPage {
  data: DocumentComment[]
  next_cursor: string | null
  has_more: boolean
}

/** A new comment. It can be neither changed nor deleted. */
export interface DocumentCommentCreate {
  /** What your colleagues should know. */
  text: string
}

/** Filters of a list that the signed-in person has named, for one organization. */
export interface SavedView {
  /** The view. */
  id: string
  name: string
  /** The list that it shows. */
  list: "documents" | "payments" | "transactions" | "requests" | "events"
  query: string
  /** When it was saved first. */
  created_at: string
  /** When it last changed. */
  updated_at: string
}

/** Views, the newest first. */
export interface SavedViewPage {
  data: SavedView[]
  next_cursor: string | null
  has_more: boolean
}

/** A new view. */
export interface SavedViewCreate {
  /** What the person calls it. */
  name: string
  /** The list that it shows. */
  list: "documents" | "payments" | "transactions" | "requests" | "events"
  /** Its filters, as the query of an address. */
  query: string
}

/** What changes of a view. */
export interface SavedViewUpdate {
  /** What the person calls it. */
  name?: string | undefined
  /** Its filters, as the query of an address. */
  query?: string | undefined
}

/** How the signed-in person wants the console, for all organizations. */
export interface Preferences {
  /** The colours; `system` follows the device. */
  theme: "system" | "light" | "dark"
  /** How much room the rows of a table have. */
  density: "comfortable" | "compact"
  time_zone: string | null
  /** Which notices the person gets by e-mail, where the deployment sends any. All of them by default. */
  notices: {
    /** Somebody asks for an approval that you can give. */
    approval_wanted: boolean
    /** A payment of your organization, or to it, has failed or was returned. */
    payment_failed: boolean
    /** A webhook endpoint is half way to being disabled. */
    endpoint_failing: boolean
    /** An API key expires within seven days. */
    key_expiring: boolean
  }
  /** The first steps in the console that the person has marked as done. */
  first_steps: {
    /** A program of the person has verified the signature of a webhook. */
    signature_verified: boolean
    /** The person has verified a proof. */
    proof_verified: boolean
  }
  updated_at: string | null
}

/** What the person chooses anew. */
export interface PreferencesUpdate {
  /** The colours; `system` follows the device. */
  theme?: "system" | "light" | "dark" | undefined
  /** How much room the rows of a table have. */
  density?: "comfortable" | "compact" | undefined
  time_zone?: string | null | undefined
  /** Which notices the person gets by e-mail, where the deployment sends any. All of them by default. What is left out stays as it is. */
  notices?: {
    /** Somebody asks for an approval that you can give. */
    approval_wanted?: boolean | undefined
    /** A payment of your organization, or to it, has failed or was returned. */
    payment_failed?: boolean | undefined
    /** A webhook endpoint is half way to being disabled. */
    endpoint_failing?: boolean | undefined
    /** An API key expires within seven days. */
    key_expiring?: boolean | undefined
  } | undefined
  /** The first steps in the console that the person has marked as done. What is left out stays as it is. */
  first_steps?: {
    /** A program of the person has verified the signature of a webhook. */
    signature_verified?: boolean | undefined
    /** The person has verified a proof. */
    proof_verified?: boolean | undefined
  } | undefined
}

/** Something that a signed-in person did. */
export interface AuditEntry {
  /** The entry. */
  id: string
  /** From 1, without a gap in an organization. */
  seq: number
  /** Who did it, with the e-mail and the name of now. */
  user: {
    /** The person. */
    id: string
    email: string
    name: string
  }
  operation: string
  summary: string
  path: string
  resource_id: string | null
  /** The request; GET /v1/requests/{request_id} shows it for 30 days. */
  request_id: string
  /** From where. */
  address: string
  /** When. */
  created_at: string
}

/** What people did, the newest first. */
export interface AuditPage {
  data: AuditEntry[]
  next_cursor: string | null
  has_more: boolean
}

/** A rule that makes writes wait for people. */
export interface ApprovalRule {
  /** The rule. */
  id: string
  name: string
  /** When the rule applies. */
  when: {
    /** What needs the approval. documents.pay and documents.transition mean the same: whatever pays a document, by any operation, or cancels that. */
    operation: "documents.pay" | "documents.transition" | "finance.offers.create" | "finance.offers.accept" | "finance.agreements.repay"
    document_type: DocumentTypeName | null
    amount_above: number | null
    currency: Currency | null
    connection_id: string | null
  }
  /** How many people have to approve. */
  approvers: number
  roles: MemberRole[] | null
  user_ids: string[] | null
  /** When it was created. */
  created_at: string
  /** When it last changed. */
  updated_at: string
}

/** Approval rules, the newest first. */
export interface ApprovalRulePage {
  data: ApprovalRule[]
  next_cursor: string | null
  has_more: boolean
}

/** A new rule. */
export interface ApprovalRuleCreate {
  /** What the rule is for. */
  name: string
  /** When the rule applies. */
  when: {
    /** What needs the approval. documents.pay and documents.transition mean the same: whatever pays a document, by any operation, or cancels that. */
    operation: "documents.pay" | "documents.transition" | "finance.offers.create" | "finance.offers.accept" | "finance.agreements.repay"
    document_type?: DocumentTypeName | null | undefined
    amount_above?: number | null | undefined
    currency?: Currency | null | undefined
    connection_id?: string | null | undefined
  }
  /** How many people have to approve. */
  approvers?: number | undefined
  roles?: readonly ("owner" | "admin" | "approver")[] | null | undefined
  user_ids?: readonly string[] | null | undefined
}

/** What changes; when is replaced whole. */
export interface ApprovalRuleUpdate {
  /** What the rule is for. */
  name?: string | undefined
  /** When the rule applies. */
  when?: {
    /** What needs the approval. documents.pay and documents.transition mean the same: whatever pays a document, by any operation, or cancels that. */
    operation: "documents.pay" | "documents.transition" | "finance.offers.create" | "finance.offers.accept" | "finance.agreements.repay"
    document_type?: DocumentTypeName | null | undefined
    amount_above?: number | null | undefined
    currency?: Currency | null | undefined
    connection_id?: string | null | undefined
  } | undefined
  /** How many people have to approve. */
  approvers?: number | undefined
  roles?: readonly ("owner" | "admin" | "approver")[] | null | undefined
  user_ids?: readonly string[] | null | undefined
}

/** A write to try the rules with. */
export interface ApprovalRuleTest {
  /** What needs the approval. documents.pay and documents.transition mean the same: whatever pays a document, by any operation, or cancels that. */
  operation: "documents.pay" | "documents.transition" | "finance.offers.create" | "finance.offers.accept" | "finance.agreements.repay"
  document_type?: DocumentTypeName | null | undefined
  /** What would be paid. Major units, at most 2 decimals. */
  amount: number
  /** ISO 4217. */
  currency: Currency
  connection_id?: string | null | undefined
}

/** What the rules would ask for. */
export interface ApprovalRuleTestResult {
  /** Whether a session would have to ask. */
  requires_approval: boolean
  requirements: {
    rule_id: string | null
    name: string | null
    /** How many have to approve. */
    approvers: number
    roles: MemberRole[] | null
    user_ids: string[] | null
    /** How many members count today. Whoever asks is not among the approvers. */
    eligible_members: number
  }[]
}

/** A file that belongs to a document. */
export interface Attachment {
  /** The attachment. */
  id: string
  filename: string
  /** As declared by the sender; the content is not inspected. */
  content_type: string
  /** Size in bytes. */
  size: number
  /** SHA-256 of the bytes, in hex. */
  sha256: string
  /** The side that attached it. */
  uploaded_by: "issuer" | "counterparty"
  /** When it was attached. */
  created_at: string
}

/** Attachments, newest first. */
export interface AttachmentPage {
  data: Attachment[]
  next_cursor: string | null
  has_more: boolean
}

/** An attachment with its download URL. */
export interface AttachmentLink {
  /** The attachment. */
  id: string
  filename: string
  /** As declared by the sender; the content is not inspected. */
  content_type: string
  /** Size in bytes. */
  size: number
  /** SHA-256 of the bytes, in hex. */
  sha256: string
  /** The side that attached it. */
  uploaded_by: "issuer" | "counterparty"
  /** When it was attached. */
  created_at: string
  /** Downloads the bytes. Anyone with this URL can use it, without a key. */
  download_url: string
  /** When the URL expires. */
  expires_at: string
}

/** A form with a file that becomes a draft. */
export interface DocumentImport {
  /** UBL, CII, a Factur-X PDF or CSV, at most 5 MiB; XML and CSV, also inside of a PDF, 1 MiB. */
  file: string
  /** The connection to the buyer. */
  connection_id: string
}

/** A connection as the calling organization sees it. */
export interface Connection {
  /** The connection. */
  id: string
  /** The current status. */
  status: "invited" | "active" | "declined" | "ended"
  counterparty: {
    /** The organization. */
    organization_id: string
    name: string
    verified: boolean
  } | null
  /** Who sent the invitation. */
  invited_by: "you" | "counterparty"
  invited_email: string | null
  default_payment_terms: string | null
  /** ISO 4217. Default currency of documents. */
  currency: Currency
  /** Statuses to which an admin of the calling organization can move it now. */
  allowed_transitions: ("invited" | "active" | "declined" | "ended")[]
  sandbox: boolean
  /** When the invitation was sent. */
  created_at: string
  /** When its status last changed. */
  updated_at: string
}

/** Connections, newest first. */
export interface ConnectionPage {
  data: Connection[]
  next_cursor: string | null
  has_more: boolean
}

/** An invitation of an organization by its id, or of a person by e-mail address. */
export interface ConnectionCreate {
  /** The organization to invite; or send `email`. */
  organization_id?: string | undefined
  /** The person to invite; or send `organization_id`. The user who signs in with this address sees the invitation, in an organization of the same mode. */
  email?: string | undefined
  default_payment_terms?: string | null | undefined
  /** ISO 4217. Default currency of documents. Absent = the inviter's own currency. */
  currency?: Currency | undefined
}

/** A payment as the calling organization sees it. */
export interface Payment {
  /** The payment. */
  id: string
  /** The kind of payment. */
  kind: PaymentKind
  /** The document it pays. */
  document_id: string
  /** The connection of the document. */
  connection_id: string
  /** The viewer's side. */
  direction: "outgoing" | "incoming"
  /** The current status. */
  status: PaymentStatus
  /** The whole balance when the payment was created. Major units, at most 2 decimals. */
  amount: number
  /** ISO 4217. */
  currency: Currency
  /** ach or wire for USD, sepa for EUR, faster_payments for GBP, eft for CAD, book for any. */
  method: PaymentMethod
  /** The payment rail. */
  rail: string
  source_account_id: string | null
  destination_account_id: string | null
  scheduled_for: string | null
  settlement_reference: string | null
  failure: {
    code: string
    message: string
  } | null
  /** Who initiated it. */
  initiated_by: {
    /** The kind of initiator. */
    kind: "api_key" | "user" | "system"
    organization_id: string | null
    /** The prefix of the viewer's key. */
    key_prefix?: string
    /** The viewer's own key. */
    key_id?: string
  }
  triggered_by_payment_id: string | null
  agreement_id: string | null
  /** When it was created. */
  created_at: string
  processing_at: string | null
  settled_at: string | null
  failed_at: string | null
  returned_at: string | null
  /** When it last changed. */
  updated_at: string
  sandbox?: boolean
}

/** Payments, newest first. */
export interface PaymentPage {
  data: Payment[]
  next_cursor: string | null
  has_more: boolean
}

/** How to pay. Without it, the default method and the default account are used. */
export interface PayRequest {
  /** ach or wire for USD, sepa for EUR, faster_payments for GBP, eft for CAD, book for any. */
  payment_method?: PaymentMethod | undefined
  /** One of the payer's treasury accounts; in the sandbox also a test account like acct_test_async. */
  source_account_id?: string | undefined
}

/** An account of the calling organization. */
export interface Account {
  /** The account. */
  id: string
  name: string
  /** What it is for. */
  purpose: "settlement" | "funding"
  /** ISO 4217. */
  currency: Currency
  /** Only an active account pays. */
  status: "active" | "frozen" | "closed"
  /** The provider that holds it. */
  provider: string
  last4: string | null
  /** Whether payments use it by default. */
  is_default: boolean
  /** When it was opened. */
  created_at: string
}

/** Accounts, newest first. */
export interface AccountPage {
  data: Account[]
  next_cursor: string | null
  has_more: boolean
}

/** The balance of one account. */
export interface Balance {
  /** The account. */
  account_id: string
  /** ISO 4217. */
  currency: Currency
  /** Settled amount. Major units, at most 2 decimals. */
  posted: number
  /** Incoming amount that has not settled. Major units, at most 2 decimals. */
  pending_in: number
  /** Amount reserved for outgoing payments. Major units, at most 2 decimals. */
  pending_out: number
  /** Posted − pending out; below zero only after a bank return. Major units, at most 2 decimals. */
  available: number
  /** The time of the balance, by the organization’s clock. */
  as_of: string
}

/** One balance per account, newest account first. */
export interface BalancePage {
  data: Balance[]
  next_cursor: string | null
  has_more: boolean
}

/** One movement of one account. */
export interface Transaction {
  /** The transaction. */
  id: string
  /** The account. */
  account_id: string
  /** The type of transaction. */
  type: "payment_out" | "payment_in" | "sweep_out" | "sweep_in" | "return" | "topup" | "withdrawal"
  /** The current status. */
  status: "pending" | "posted" | "void"
  /** Positive into the account, negative out of it. Major units, at most 2 decimals. */
  amount: number
  /** ISO 4217. */
  currency: Currency
  running_balance: number | null
  payment_id: string | null
  payment_kind: PaymentKind | null
  document_id: string | null
  settlement_reference: string | null
  /** When it took effect; while pending, when it was opened. */
  effective_at: string
  /** When it was opened. */
  created_at: string
}

/** Transactions: those under way, then the others from the last posting back. */
export interface TransactionPage {
  data: Transaction[]
  next_cursor: string | null
  has_more: boolean
}

/** The clock shared by a sandbox organization and its counterparties. */
export interface Clock {
  /** The sandbox's own time. */
  now: string
  /** How far it is ahead of real time. */
  offset_seconds: number
  /** All work due by this time is done. */
  status: "ready"
}

/** Exactly one of the two. The clock only moves forward. */
export interface ClockAdvance {
  /** An ISO 8601 duration in whole units, such as P6D; months and years follow the calendar. */
  advance_by?: string | undefined
  /** A later time; a date means the start of that day. */
  advance_to?: string | undefined
}

/** Test money for an account. */
export interface TopUp {
  /** ISO 4217. */
  currency: Currency
  /** How much test money. Major units, at most 2 decimals. */
  amount: number
  /** One of the organization's accounts; defaults to the settlement account. */
  account_id?: string | undefined
}

/** A payment outcome that the rail would otherwise decide. */
export interface Simulation {
  /** The outcome, which takes effect at once. */
  outcome: "settle" | "fail" | "return"
  /** Why it fails, or why the bank returns it. */
  reason?: "insufficient_funds" | "account_closed" | "account_not_found" | "account_frozen" | "processor_declined" | "processor_unavailable" | "timeout" | "returned_insufficient_funds" | "returned_account_closed" | "returned_no_account" | "returned_unauthorized" | undefined
}

/** A document that the simulated counterparty issues to you. */
export interface DemoDocument {
  /** The type that the counterparty issues to you. */
  document_type: DocumentTypeName
  /** Stored in `external_refs.sandbox_scenario`. */
  scenario?: string | undefined
  /** 1 to 200 lines. Replaced as a whole. */
  line_items?: readonly LineItem[] | undefined
  /** ISO 4217. */
  currency?: Currency | undefined
  payment_terms?: string | null | undefined
  notes?: string | null | undefined
  /** The counterparty's references. */
  external_refs?: Record<string, string> | undefined
}

/** A transition that the simulated counterparty makes. */
export interface DemoTransition {
  /** A document that you share with the simulated counterparty. */
  document_id: string
  /** The target status. */
  to: DocumentStatus
}

/** The verified history of one document. */
export interface DocumentHistory {
  /** The document. */
  document_id: string
  /** Always true: a record that fails verification is refused. */
  verified: boolean
  /** What was verified for this response. */
  verification: {
    /** Number of verified events: all of them. */
    events: number
    /** The last event. */
    head: {
      seq: number
      /** Hash of the last event. */
      hash: string
    }
    /** The checks that every event passed. */
    checks: string[]
    /** Later events wait for the log. */
    logged_through_seq: number
    checkpoint: {
      /** The name of the log. */
      origin: string
      /** Number of leaves it covers. */
      size: number
      /** Root of the Merkle tree, base64. */
      root: string
      /** When it was signed. */
      as_of: string
    } | null
  }
  /** Oldest first, the whole chain. */
  entries: {
    /** Sequence number, from 1, gapless. */
    seq: number
    /** When it happened. */
    at: string
    /** Whether only the other side may read its content. */
    sealed: boolean
    /** Who can open a sealed event. */
    held_by?: "counterparty"
    /** Commitment to the hidden content. */
    commitment?: string
    /** Whether its content has been erased. */
    erased?: boolean
    /** What happened. */
    type?: string
    from_status?: string | null
    to_status?: string | null
    actor?: {
      /** The kind of actor. */
      kind: "api_key" | "user" | "system"
      /** The organization for which it acted. */
      organization_id?: string
      /** The prefix of the key. */
      key_prefix?: string
      /** The key; only for your own writes. */
      key_id?: string
      /** The user; only for your own writes. */
      user_id?: string
    } | null
    /** What a person of your side approved before; only your side sees it. */
    approval?: {
      /** The approval. */
      id: string
      /** Of what was approved. */
      digest: string
      approved_by: string[]
    }
    /** The changed fields that you can see. */
    changes?: string[]
    /** Hash of the event, which is also its leaf hash in the log. */
    hash: string
    prev: string | null
    log: {
      /** Its leaf index in the log. */
      index: number
    } | null
  }[]
}

/** The documents and payments that led to a document and that followed from it. */
export interface Lineage {
  /** The document. */
  document_id: string
  /** Always true: a record that fails verification is refused. */
  verified: boolean
  /** Oldest first. */
  steps: {
    /** Step number, from 1; links refer to it. */
    step: number
    /** The kind of step. */
    kind: "document" | "event" | "payment"
    /** Whether its content is hidden from you. */
    sealed: boolean
    /** When it happened. */
    at: string
    /** Who can open a sealed step. */
    held_by?: "counterparty" | "third_party"
    /** The document step of a sealed event. */
    on_step?: number
    seq?: number
    /** Commitment to the hidden content. */
    commitment?: string
    /** Hash of the sealed event, or of the event in which the payment settled. */
    event_hash?: string
    /** A document to which you are a party. */
    document?: {
      /** The document. */
      id: string
      document_type: string
      number: string | null
      label: string
      /** Your side. */
      direction: "issued" | "received"
      status: string
    }
    /** A payment that settled the document. */
    payment?: {
      /** The payment. */
      id: string
      /** The kind of payment. */
      kind: string
      /** As recorded in the history: settled or returned. */
      status: string
    }
    /** The last event. */
    head?: {
      seq: number
      /** Hash of the last event. */
      hash: string
    }
  }[]
  links: {
    /** A step. */
    from: number
    /** A step. */
    to: number
    /** The relation. */
    relation: string
    /** When it was recorded. */
    at: string
    recorded_in: {
      step: number
      seq: number
    }[]
    sealed: boolean
  }[]
  checkpoint: {
    /** The name of the log. */
    origin: string
    /** Number of leaves it covers. */
    size: number
    /** Root of the Merkle tree, base64. */
    root: string
    /** When it was signed. */
    as_of: string
  } | null
  /** Whether there are more steps than are shown. */
  truncated: boolean
}

/** A proof of a pledge that anyone can verify offline. FORMAT.md describes every byte. */
export interface PledgeProof {
  /** The format of this file. */
  format: "svc-pledge-proof/1"
  /** The proof bundle of the agreement. */
  agreement: Record<string, unknown>
  /** What a lender may see of the invoice. */
  invoice: {
    /** The pledged invoice. */
    document_id: string
    /** Blinds the id in the log. */
    stream_salt: string
    /** All of its events; open is the slot for lenders, while the pledge lasts. */
    events: Record<string, unknown>[]
    /** The checkpoint that covers its last event. */
    checkpoint: string
    /** The signed note stating that this event is the last. */
    head: string
  }
}

/** A proof that anyone can verify offline. FORMAT.md describes every byte. */
export interface ProofBundle {
  /** The format, and the generation of the verifier. */
  format: "svc-proof-bundle/2"
  /** The document, reconstructed from its events. */
  document: {
    /** The document. */
    id: string
    /** Blinds the id in the log. */
    stream_salt: string
    /** The state that your events replay to. */
    state: Record<string, unknown>
  }
  /** The viewer. */
  viewer: {
    /** The organization for which it was exported. */
    organization_id: string
    /** Your side. */
    role: "issuer" | "counterparty"
  }
  events: {
    /** The hashed header. */
    header: Record<string, unknown>
    /** Leaf index and audit path in the log. */
    log: Record<string, unknown>
    /** Salt and body of each slot that you may read. */
    open: Record<string, unknown>
  }[]
  /** The C2SP checkpoint that covers the last event. */
  checkpoint: string
  /** The signed note stating that this event is the last. */
  head: string
}

/** A proof of one event that anyone can verify offline. FORMAT.md describes every byte. */
export interface Receipt {
  /** The format of this file. */
  format: "svc-receipt/1"
  /** The hashed header of the event. */
  header: Record<string, unknown>
  /** Leaf index and audit path in the log. */
  log: Record<string, unknown>
  /** The first C2SP checkpoint that covers the event. */
  checkpoint: string
}

/** The keys that the verifier trusts: save this as its trust.json. */
export interface LogKeys {
  /** The name of the log. */
  origin: string
  /** Verifier keys (C2SP vkey). */
  keys: string[]
  /** For each key, the log sizes at which it signs. */
  windows: Record<string, {
    from_size: number
    until_size: number | null
  }>
}

/** The newest checkpoint. */
export interface LogCheckpoint {
  /** A C2SP checkpoint: a signed note. */
  checkpoint: string
}

/** A proof (RFC 9162) that the larger log starts with the smaller one. */
export interface LogConsistency {
  from: number
  to: number
  proof: string[]
}

/** A proof that the log continues its earlier epochs. FORMAT.md describes every byte. */
export interface LogEpochs {
  /** The format of this file. */
  format: "svc-epochs/1"
  /** The C2SP checkpoint that covers the leaves. */
  checkpoint: string
  /** Newest first; empty in the first epoch. */
  epochs: {
    /** The hashed header. */
    header: Record<string, unknown>
    /** Leaf index and audit path in the log. */
    log: Record<string, unknown>
    /** Salt and body: the last checkpoint of the epoch before. */
    open: Record<string, unknown>
  }[]
}

/** An API key, without its secret. */
export interface Key {
  /** The key. */
  id: string
  name: string
  /** The first characters; not secret. */
  prefix: string
  scopes: Scope[]
  /** The current status. */
  status: "active" | "rotating" | "expired" | "revoked"
  expires_at: string | null
  allowed_cidrs: string[]
  /** Enforced before any money moves. */
  payment_limits?: {
    max_per_payment: number | null
    daily_volume: number | null
  }
  /** Of daily_volume, if any; with payments:read. */
  used_today?: DailyVolume[]
  /** A person approves everything that pays. */
  requires_approval?: boolean
  requires_approval_above?: {
    USD?: number
    EUR?: number
    GBP?: number
    CAD?: number
  } | null
  /** The public key with which its writes are signed. */
  signing_key?: string
  last_used_at: string | null
  /** The key that this one replaced. */
  rotated_from_id?: string
  /** The key that replaced this one. */
  rotated_to_id?: string
  revoked_at: string | null
  /** When it was created. */
  created_at: string
  sandbox: boolean
}

/** Keys, newest first. */
export interface KeyPage {
  data: Key[]
  next_cursor: string | null
  has_more: boolean
}

/** A new key. */
export interface KeyCreate {
  /** What the key is for. */
  name: string
  /** The scopes of the key. */
  scopes: readonly Scope[]
  expires_at?: string | null | undefined
  allowed_cidrs?: readonly string[] | null | undefined
  /** Only with payments:write. */
  payment_limits?: {
    max_per_payment?: number | null | undefined
    daily_volume?: number | null | undefined
  } | undefined
  /** A person approves everything that pays. Only with payments:write. */
  requires_approval?: boolean | undefined
  requires_approval_above?: {
    USD?: number | undefined
    EUR?: number | undefined
    GBP?: number | undefined
    CAD?: number | undefined
  } | null | undefined
  signing_key?: string | null | undefined
}

/** A key with its secret. */
export interface MintedKey {
  /** The key. */
  id: string
  name: string
  /** The first characters; not secret. */
  prefix: string
  scopes: Scope[]
  /** The current status. */
  status: "active" | "rotating" | "expired" | "revoked"
  expires_at: string | null
  allowed_cidrs: string[]
  /** Enforced before any money moves. */
  payment_limits?: {
    max_per_payment: number | null
    daily_volume: number | null
  }
  /** Of daily_volume, if any; with payments:read. */
  used_today?: DailyVolume[]
  /** A person approves everything that pays. */
  requires_approval?: boolean
  requires_approval_above?: {
    USD?: number
    EUR?: number
    GBP?: number
    CAD?: number
  } | null
  /** The public key with which its writes are signed. */
  signing_key?: string
  last_used_at: string | null
  /** The key that this one replaced. */
  rotated_from_id?: string
  /** The key that replaced this one. */
  rotated_to_id?: string
  revoked_at: string | null
  /** When it was created. */
  created_at: string
  sandbox: boolean
  key: string | null
}

/** The new key with its secret. */
export interface RotatedKey {
  /** The key. */
  id: string
  name: string
  /** The first characters; not secret. */
  prefix: string
  scopes: Scope[]
  /** The current status. */
  status: "active" | "rotating" | "expired" | "revoked"
  expires_at: string | null
  allowed_cidrs: string[]
  /** Enforced before any money moves. */
  payment_limits?: {
    max_per_payment: number | null
    daily_volume: number | null
  }
  /** Of daily_volume, if any; with payments:read. */
  used_today?: DailyVolume[]
  /** A person approves everything that pays. */
  requires_approval?: boolean
  requires_approval_above?: {
    USD?: number
    EUR?: number
    GBP?: number
    CAD?: number
  } | null
  /** The public key with which its writes are signed. */
  signing_key?: string
  last_used_at: string | null
  /** The key that this one replaced. */
  rotated_from_id?: string
  /** The key that replaced this one. */
  rotated_to_id?: string
  revoked_at: string | null
  /** When it was created. */
  created_at: string
  sandbox: boolean
  key: string | null
  /** The old key, which stays valid during its grace period. */
  previous: {
    /** The old key. */
    id: string
    prefix: string
    /** When the old key expires. */
    expires_at: string
    /** The new key. */
    rotated_to_id: string
  }
}

/** The caller. */
export interface Caller {
  /** The calling organization. */
  organization: {
    /** The calling organization. */
    id: string
    name: string
    /** Live or sandbox. */
    mode: "live" | "sandbox"
    verified: boolean
  }
  key: {
    /** The key. */
    id: string
    prefix: string
    scopes: Scope[]
  } | null
  user: {
    /** The user. */
    id: string
    email: string
    name: string
    /** The role of the user in the organization. */
    role: MemberRole
  } | null
  effective_scopes: Scope[]
  /** The key's payment limits, in major units per currency (null means no limit), and the quotas of its organization. */
  limits: {
    max_per_payment: number | null
    daily_volume: number | null
    daily_volume_left: DailyVolume[] | null
    /** Those that hold; a live organization has few. */
    quotas: {
      /** The counted resource. */
      quota: "documents_per_day" | "stored_documents" | "payments_per_day" | "open_listings" | "webhook_endpoints" | "active_keys" | "sandboxes"
      limit: number
      used: number
      left: number
      resets_at: string | null
    }[]
  }
  /** Up to 10 documents that failed verification, for documents:read. */
  documents_on_hold: string[]
  /** For the user to decide, up to 100. */
  approvals_waiting: number
  /** From where. */
  address: string
  api_version: string
}

/** Of daily_volume, in one currency. */
export interface DailyVolume {
  /** ISO 4217. */
  currency: Currency
  /** Paid or reserved today, across all rotations of the key. Major units, at most 2 decimals. */
  used: number
  /** The amount that can still be paid today. Major units, at most 2 decimals. */
  left: number
  /** When it resets. */
  resets_at: string
}

/** The state of one Idempotency-Key of the organization. */
export interface IdempotencyState {
  /** The state of the write; `unknown` if no write with this key is stored. */
  status: "unknown" | "in_progress" | "succeeded"
  resource_id?: string | null
  /** The request that succeeded. */
  request_id?: string
}

/** What this deployment serves. */
export interface Enablement {
  api_version: string
  /** The kinds of organizations that the deployment serves. */
  mode: "sandbox" | "live" | "both"
  /** The families. */
  families: {
    /** Whether this deployment serves the family, and the version that introduced it. */
    documents: {
      enabled: boolean
      since_version: string
    }
    /** Whether this deployment serves the family, and the version that introduced it. */
    payments: {
      enabled: boolean
      since_version: string
    }
    /** Whether this deployment serves the family, and the version that introduced it. */
    treasury: {
      enabled: boolean
      since_version: string
    }
    /** Whether this deployment serves the family, and the version that introduced it. */
    provenance: {
      enabled: boolean
      since_version: string
    }
    /** Whether this deployment serves the family, and the version that introduced it. */
    keys: {
      enabled: boolean
      since_version: string
    }
    /** Whether this deployment serves the family, and the version that introduced it. */
    webhooks: {
      enabled: boolean
      since_version: string
    }
    /** Whether this deployment serves the family, and the version that introduced it. */
    finance: {
      enabled: boolean
      since_version: string
    }
    /** Whether this deployment serves the family, and the version that introduced it. */
    enablement: {
      enabled: boolean
      since_version: string
    }
  }
}

/** A request that was answered, whether or not it succeeded. */
export interface RequestLogEntry {
  /** The Request-Id of the call. */
  id: string
  method: string
  /** Without the query string; at most 300 characters. */
  path: string
  /** HTTP status of the response. */
  status: number
  error_code: string | null
  key_id: string | null
  /** Time until the response was written. */
  duration_ms: number
  idempotency_key: string | null
  user_id: string | null
  address: string | null
  original_request_id: string | null
  document_id: string | null
  /** The events that it wrote. */
  event_ids: string[]
  /** When the request arrived. */
  created_at: string
}

/** A request with the reason for which it was refused; null if it was not. */
export interface RequestLogDetail {
  /** The Request-Id of the call. */
  id: string
  method: string
  /** Without the query string; at most 300 characters. */
  path: string
  /** HTTP status of the response. */
  status: number
  error_code: string | null
  key_id: string | null
  /** Time until the response was written. */
  duration_ms: number
  idempotency_key: string | null
  user_id: string | null
  address: string | null
  original_request_id: string | null
  document_id: string | null
  /** The events that it wrote. */
  event_ids: string[]
  /** When the request arrived. */
  created_at: string
  error: {
    /** The error code. */
    code: string
    /** What was answered. */
    message: string
    /** The problems of an invalid request, at most 20. */
    problems: InputProblem[]
  } | null
}

/** Requests of the last 30 days, newest first. */
export interface RequestPage {
  data: RequestLogEntry[]
  next_cursor: string | null
  has_more: boolean
}

/** A practice pair, without its credentials. */
export interface Sandbox {
  /** The pair. */
  sandbox_id: string
  /** Your side. */
  organization: {
    /** The organization. */
    id: string
    name: string
    verified: boolean
  }
  /** The counterparty. */
  demo_organization: {
    /** The organization. */
    id: string
    name: string
    verified: boolean
  }
  /** The connection between the two. */
  connection_id: string
  /** When it was provisioned. */
  created_at: string
}

/** Practice pairs, newest first. */
export interface SandboxPage {
  data: Sandbox[]
  next_cursor: string | null
  has_more: boolean
}

/** A new practice pair. */
export interface SandboxCreate {
  /** The name of the practice organization. */
  name?: string | undefined
  /** False to test what an unverified organization is refused. */
  verified?: boolean | undefined
}

/** A practice pair with its credentials. */
export interface MintedSandbox {
  /** The pair. */
  sandbox_id: string
  /** Your side. */
  organization: {
    /** The organization. */
    id: string
    name: string
    verified: boolean
  }
  /** The counterparty. */
  demo_organization: {
    /** The organization. */
    id: string
    name: string
    verified: boolean
  }
  /** The connection between the two. */
  connection_id: string
  /** When it was provisioned. */
  created_at: string
  api_key: string | null
  demo_api_key: string | null
  admin_session_token: string | null
  demo_admin_session_token: string | null
}

/** An event, frozen when it was written. Ignore a type that you do not know. */
export type EventEnvelope = DocumentCreatedEvent | DocumentStatusChangedEvent | DocumentEditedEvent | PaymentSettledEvent | PaymentFailedEvent | FinanceOfferReceivedEvent | FinanceAgreementAcceptedEvent | FinanceAgreementFundedEvent | FinanceAgreementRepaidEvent | FinanceAgreementClosedEvent | FinanceAgreementFlaggedEvent

/** The receiver's own call that caused the event. */
export interface CausingRequest {
  /** The request. */
  id: string
  idempotency_key: string | null
  key_prefix: string | null
}

/** Events of the last 30 days: with `after` in commit order, otherwise newest first. */
export interface EventPage {
  data: EventEnvelope[]
  next_cursor: string | null
  has_more: boolean
}

/** A webhook endpoint. */
export interface Webhook {
  /** The endpoint. */
  id: string
  /** Where deliveries are POSTed. */
  url: string
  /** Subscribed events; empty = all, including those added later. */
  events: EventType[]
  description: string | null
  /** DISABLED after 20 consecutive terminal failures, or by an admin. */
  status: "ACTIVE" | "DISABLED"
  disabled_reason: string | null
  /** Terminal failures since the last success. */
  consecutive_failures: number
  last_success_at: string | null
  last_failure_at: string | null
  previous_secret_valid_until: string | null
  /** When it was registered. */
  created_at: string
}

/** Endpoints, newest first. */
export interface WebhookPage {
  data: Webhook[]
  next_cursor: string | null
  has_more: boolean
}

/** A new endpoint. */
export interface WebhookCreate {
  /** The https address to deliver to. Its name must resolve to public addresses only. A sandbox on your own machine also takes an http address of that machine, such as `http://127.0.0.1:9000/`. */
  url: string
  /** Subscribed events; empty or absent = all, including those added later. */
  events?: readonly EventType[] | undefined
  description?: string | null | undefined
}

/** The fields to change in an endpoint. */
export interface WebhookEdit {
  /** The https address to deliver to. Its name must resolve to public addresses only. A sandbox on your own machine also takes an http address of that machine, such as `http://127.0.0.1:9000/`. */
  url?: string | undefined
  /** Subscribed events; empty or absent = all, including those added later. */
  events?: readonly EventType[] | undefined
  description?: string | null | undefined
  /** ACTIVE re-enables it and resets the failure count; DISABLED stops deliveries. */
  status?: "ACTIVE" | "DISABLED" | undefined
}

/** An endpoint, and how its deliveries have fared. */
export interface WebhookWithLastDay {
  /** The endpoint. */
  id: string
  /** Where deliveries are POSTed. */
  url: string
  /** Subscribed events; empty = all, including those added later. */
  events: EventType[]
  description: string | null
  /** DISABLED after 20 consecutive terminal failures, or by an admin. */
  status: "ACTIVE" | "DISABLED"
  disabled_reason: string | null
  /** Terminal failures since the last success. */
  consecutive_failures: number
  last_success_at: string | null
  last_failure_at: string | null
  previous_secret_valid_until: string | null
  /** When it was registered. */
  created_at: string
  /** The deliveries of the last 24 hours, of which at most the newest 5,000 are counted. */
  last_day: {
    /** Deliveries that succeeded. */
    succeeded: number
    /** Deliveries that failed for good. */
    failed: number
    /** Attempts of all of them, with retries and pings. */
    attempts: number
    p95_ms: number | null
  }
}

/** An endpoint with its signing secret. */
export interface WebhookWithSecret {
  /** The endpoint. */
  id: string
  /** Where deliveries are POSTed. */
  url: string
  /** Subscribed events; empty = all, including those added later. */
  events: EventType[]
  description: string | null
  /** DISABLED after 20 consecutive terminal failures, or by an admin. */
  status: "ACTIVE" | "DISABLED"
  disabled_reason: string | null
  /** Terminal failures since the last success. */
  consecutive_failures: number
  last_success_at: string | null
  last_failure_at: string | null
  previous_secret_valid_until: string | null
  /** When it was registered. */
  created_at: string
  secret: string | null
}

/** The outcome of one real attempt. */
export interface PingResult {
  delivery_id: string | null
  response_status: number | null
  duration_ms: number | null
  error: string | null
}

/** One event for one endpoint. */
export interface Delivery {
  /** The delivery. */
  id: string
  /** The endpoint. */
  webhook_id: string
  /** The event; the same across all attempts and redeliveries. */
  event_id: string
  /** The type of the event. */
  event_type: "document.created" | "document.status_changed" | "document.edited" | "payment.settled" | "payment.failed" | "finance.offer.received" | "finance.agreement.accepted" | "finance.agreement.funded" | "finance.agreement.repaid" | "finance.agreement.closed" | "finance.agreement.flagged" | "ping"
  /** `failed` is terminal; `skipped`: the endpoint was DISABLED when the delivery came due. */
  status: "pending" | "retrying" | "succeeded" | "failed" | "skipped"
  attempt_count: number
  next_attempt_at: string | null
  last_response_status: number | null
  last_error: string | null
  /** When it was first scheduled. */
  created_at: string
  finished_at: string | null
}

/** Deliveries of the last 30 days, newest first. */
export interface DeliveryPage {
  data: Delivery[]
  next_cursor: string | null
  has_more: boolean
}

/** A delivery with its last 100 attempts, oldest first. */
export interface DeliveryWithAttempts {
  /** The delivery. */
  id: string
  /** The endpoint. */
  webhook_id: string
  /** The event; the same across all attempts and redeliveries. */
  event_id: string
  /** The type of the event. */
  event_type: "document.created" | "document.status_changed" | "document.edited" | "payment.settled" | "payment.failed" | "finance.offer.received" | "finance.agreement.accepted" | "finance.agreement.funded" | "finance.agreement.repaid" | "finance.agreement.closed" | "finance.agreement.flagged" | "ping"
  /** `failed` is terminal; `skipped`: the endpoint was DISABLED when the delivery came due. */
  status: "pending" | "retrying" | "succeeded" | "failed" | "skipped"
  attempt_count: number
  next_attempt_at: string | null
  last_response_status: number | null
  last_error: string | null
  /** When it was first scheduled. */
  created_at: string
  finished_at: string | null
  body: string | null
  attempts: {
    number: number
    /** When it began. */
    at: string
    response_status: number | null
    duration_ms: number
    error: string | null
    response_body: string | null
    request_headers: Record<string, string> | null
    response_headers: Record<string, string> | null
    timings: {
      dns_ms: number | null
      connect_ms: number | null
      tls_ms: number | null
      first_byte_ms: number | null
    } | null
  }[]
}

/** The events to deliver again. */
export interface Recover {
  /** Events at or after this time. */
  since: string
  /** Events at or before this time; absent = now. */
  until?: string | undefined
  /** Only these types; absent = the endpoint's subscription. */
  types?: readonly EventType[] | undefined
}

/** The result of a recovery. */
export interface Recovered {
  /** Number of scheduled deliveries. */
  scheduled: number
  next_since: string | null
}

/** Whether and how the organization borrows and lends. */
export interface FinanceSetup {
  /** The organization as a borrower. */
  borrower: {
    enabled: boolean
    settlement_account_id: string | null
  }
  /** The organization as a lender. */
  lender: {
    enabled: boolean
    funding_account_id: string | null
    max_principal: number | null
  }
  verified: boolean
  eligible_as_borrower: boolean
  eligible_as_lender: boolean
  blockers: ("verification" | "borrower_setup" | "lender_setup" | "payer_processor" | "payee_processor")[]
  updated_at: string | null
}

/** The roles to change. A role that is left out stays as it is. */
export interface FinanceSetupUpdate {
  /** The organization as a borrower. */
  borrower?: {
    /** Whether to list invoices and accept offers. */
    enabled: boolean
    /** One of your settlement accounts, which sweeps debit. */
    settlement_account_id?: string | undefined
  } | undefined
  /** The organization as a lender. */
  lender?: {
    /** Whether to make offers. */
    enabled: boolean
    /** One of your funding accounts, which pays out loans and gets them back. */
    funding_account_id?: string | undefined
    max_principal?: number | null | undefined
  } | undefined
}

/** An invoice against which its issuer asks for a loan. */
export interface FinanceListing {
  /** The listing. */
  id: string
  /** The caller's role. */
  role: "borrower" | "lender"
  /** The current status. */
  status: "open" | "matched" | "withdrawn" | "expired" | "invalidated"
  borrower: FinanceParty
  /** The invoice (borrower only). */
  document_id?: string
  collateral: Collateral
  terms: LoanTerms
  /** Whether the debtor is told that the invoice is assigned and released. */
  notice: "undisclosed" | "disclosed"
  duplicate_warning: DuplicateWarning
  /** When it ends by the borrower's clock. */
  expires_at: string
  /** When it was created. */
  created_at: string
  /** When it last changed. */
  updated_at: string
}

/** Listings, newest first. */
export interface FinanceListingPage {
  data: FinanceListing[]
  next_cursor: string | null
  has_more: boolean
}

/** An invoice against which to borrow, and the terms that are asked for. */
export interface FinanceListingCreate {
  /** An approved invoice that you have issued. */
  document_id: string
  terms: LoanTermsInput
  /** Whether the debtor is told that the invoice is assigned and released. */
  notice?: "undisclosed" | "disclosed" | undefined
  /** By your organization's clock; 14 days from now by default, at most 60. */
  expires_at?: string | undefined
  /** What your demo counterparty does with it (sandbox only). */
  sandbox_scenario?: "offer_at_ask" | "counter" | "offer_and_fund" | "debtor_pays_late" | "never_funds" | "offer_no_funding" | "silent" | undefined
}

/** The invoice against which the simulated counterparty asks for a loan. */
export interface DemoListing {
  /** A bill from it that you have approved; the newest one by default. */
  document_id?: string | undefined
  /** The terms of a loan. */
  terms?: {
    /** What the lender pays out. Major units. */
    principal: number
    /** The fixed fee, which is paid with the repayment. */
    fee: {
      /** A sum of money, or basis points of the principal. */
      type: "flat" | "bps"
      /** Major units for `flat`, 0 to 10000 for `bps`. */
      value: number
    }
    /** Days after the due date before the repayment counts as overdue. */
    grace_days: number
  } | undefined
  /** Whether the debtor is told that the invoice is assigned and released. */
  notice?: "undisclosed" | "disclosed" | undefined
  /** What it does about the first offer. */
  scenario?: "accept" | "decline" | "manual" | undefined
}

/** An offer of a lender for a listing. */
export interface FinanceOffer {
  /** The offer. */
  id: string
  /** The listing. */
  listing_id: string
  /** The caller's role. */
  role: "borrower" | "lender"
  /** At the terms of the listing, or at others. */
  kind: "at_ask" | "counter"
  /** The current status. */
  status: "open" | "accepted" | "declined" | "withdrawn" | "superseded" | "expired" | "lapsed"
  lender: FinanceParty
  borrower: FinanceParty
  terms: LoanTerms
  disclosure: Disclosure
  /** What accepting the offer authorizes, frozen when the offer was made. */
  standing_authorization: {
    /** SHA-256 of the canonical form, which the borrower repeats to accept. */
    digest: string
    /** What the borrower authorizes. Its exact bytes: GET /v1/finance/offers/{id}/authorization. */
    document: Record<string, unknown>
  }
  /** When it ends by the lender's clock. */
  expires_at: string
  /** When it was created. */
  created_at: string
  /** When it last changed. */
  updated_at: string
}

/** Offers, newest first. */
export interface FinanceOfferPage {
  data: FinanceOffer[]
  next_cursor: string | null
  has_more: boolean
}

/** An offer. `terms` is required for a counter and not allowed at the ask. */
export interface FinanceOfferCreate {
  /** At the terms of the listing, or at others. */
  kind: "at_ask" | "counter"
  /** The terms of a loan. */
  terms?: {
    /** What the lender pays out. Major units. */
    principal: number
    /** The fixed fee, which is paid with the repayment. */
    fee: {
      /** A sum of money, or basis points of the principal. */
      type: "flat" | "bps"
      /** Major units for `flat`, 0 to 10000 for `bps`. */
      value: number
    }
    /** Days after the due date before the repayment counts as overdue. */
    grace_days: number
  } | undefined
  /** By your organization's clock; 7 days from now by default, and not after the listing. */
  expires_at?: string | undefined
}

/** What the borrower accepts. */
export interface FinanceOfferAccept {
  /** `standing_authorization.digest` of the offer. */
  authorization_digest: string
}

/** The agreement, and its documents as the caller sees them. */
export interface FinanceAcceptedOffer {
  agreement: FinanceAgreement
  /** The documents of the loan. */
  documents: {
    agreement: DocumentRecord
    disbursement: DocumentRecord
    repayment: DocumentRecord
  }
}

/** A loan. */
export interface FinanceAgreement {
  /** The agreement. */
  id: string
  /** The current status, also that of its document. */
  status: "accepted" | "funded" | "flagged" | "repaid" | "closed"
  /** The caller's role. */
  role: "borrower" | "lender"
  /** The accepted offer. */
  offer_id: string
  /** The listing. */
  listing_id: string
  /** The connection of borrower and lender. */
  connection_id: string
  /** The pledged invoice (borrower only). */
  pledged_document_id?: string
  pledge: Collateral
  /** The documents of the loan, which both parties read at /v1/documents. */
  documents: {
    /** The agreement, FIN-. */
    agreement_id: string
    /** The disbursement, DSB-, which the lender pays. */
    disbursement_id: string
    /** The repayment, RPY-, which the borrower owes. */
    repayment_id: string
  }
  terms: LoanTerms
  /** Whether the debtor is told that the invoice is assigned and released. */
  notice: "undisclosed" | "disclosed"
  /** What the borrower owes now; 0 before the loan is funded. Major units, at most 2 decimals. */
  amount_owed: number
  /** Repaid so far. Major units, at most 2 decimals. */
  amount_repaid: number
  flag: {
    /** What is wrong. */
    code: "funding_overdue" | "repayment_overdue" | "sweep_shortfall" | "sweep_failed" | "collateral_disputed" | "collateral_diluted" | "proceeds_returned" | "disbursement_returned" | "repayment_returned"
    /** Since when. */
    since: string
    cured_at: string | null
  } | null
  closed_reason: "repaid" | "withdrawn" | "collateral_settled" | null
  /** What the borrower accepted. */
  authorization_digest: string
  /** When the offer was accepted. */
  accepted_at: string
  /** By when the disbursement is to be settled, by the lender's clock. */
  funding_deadline: string
  funded_at: string | null
  repaid_at: string | null
  closed_at: string | null
  /** When it last changed. */
  updated_at: string
}

/** Agreements, newest first. */
export interface FinanceAgreementPage {
  data: FinanceAgreement[]
  next_cursor: string | null
  has_more: boolean
}

/** Why the agreement is withdrawn. */
export interface FinanceAgreementWithdrawal {
  /** Why; both parties read it in the history. */
  reason?: string | undefined
}

/** How far a loan is repaid. */
export interface FinanceRepayment {
  /** The agreement. */
  agreement_id: string
  /** The repayment document, RPY-. */
  document_id: string
  /** The principal. Major units, at most 2 decimals. */
  principal: number
  /** The fee. Major units, at most 2 decimals. */
  fee_amount: number
  /** Principal + fee. Major units, at most 2 decimals. */
  total_repayable: number
  /** Repaid so far. Major units, at most 2 decimals. */
  amount_repaid: number
  /** In payments that are created or processing. Major units, at most 2 decimals. */
  amount_in_flight: number
  /** Owed now; 0 before the loan is funded. Major units, at most 2 decimals. */
  amount_owed: number
  /** When it is due. */
  due_date: string
  /** After this day it is overdue. */
  flag_after: string
  /** By the borrower's clock; 0 if nothing is owed. */
  days_past_due: number
  payments: Payment[]
  sweeps: {
    /** The payment to the lender. */
    payment_id: string
    /** The payment of the pledged invoice. */
    trigger_payment_id: string
    /** What was paid on the invoice. Major units, at most 2 decimals. */
    proceeds: number
    /** What was swept. Major units, at most 2 decimals. */
    amount: number
    /** The current status. */
    status: PaymentStatus
  }[]
}

/** How to repay what is owed now. */
export interface FinanceRepaymentRequest {
  /** One of the payer's treasury accounts; in the sandbox also a test account like acct_test_async. */
  source_account_id?: string | undefined
}

/** The terms, with what follows from them. */
export interface LoanTerms {
  /** What the lender pays out. Major units, at most 2 decimals. */
  principal: number
  /** The fixed fee. */
  fee: {
    /** A sum of money, or basis points of the principal. */
    type: "flat" | "bps"
    /** Major units, or basis points. */
    value: number
  }
  grace_days: number
  /** That of the invoice. */
  currency: Currency
  /** The fee. Major units, at most 2 decimals. */
  fee_amount: number
  /** Principal + fee. Major units, at most 2 decimals. */
  total_repayable: number
  /** That of the invoice. */
  due_date: string
  /** The due date and the days of grace. */
  flag_after: string
}

/** The terms of a loan. */
export interface LoanTermsInput {
  /** What the lender pays out. Major units. */
  principal: number
  /** The fixed fee, which is paid with the repayment. */
  fee: {
    /** A sum of money, or basis points of the principal. */
    type: "flat" | "bps"
    /** Major units for `flat`, 0 to 10000 for `bps`. */
    value: number
  }
  /** Days after the due date before the repayment counts as overdue. */
  grace_days: number
}

/** The invoice as a lender may see it. */
export interface Collateral {
  /** ISO 4217. */
  currency: Currency
  /** What is still to be paid on the invoice. Major units, at most 2 decimals. */
  balance_due: number
  /** When the invoice is due. */
  due_date: string
  /** The status of the invoice. */
  status: string
}

/** How many invoices of the same parties and currency look like this one. */
export interface DuplicateWarning {
  /** Live listings of similar invoices: two of reference, total and date (within 7 days) agree. At most 1000 are counted. */
  matches: number
}

/** The cost of the loan, which is part of what the borrower accepts. */
export interface Disclosure {
  /** What the borrower receives. Major units, at most 2 decimals. */
  amount_provided: number
  /** The fee. Major units, at most 2 decimals. */
  finance_charge: number
  /** What the borrower repays. Major units, at most 2 decimals. */
  total_repayable: number
  /** From the day of the offer to the due date; at least 1. */
  term_days: number
  /** Fee / principal × 365 / term_days, with 4 decimals, half to even: 0.2534 is 25.34 %. */
  annualized_cost: number
  /** The fee is the same after an early repayment. */
  prepayment: "no_rebate"
  /** What secures the loan. */
  security: "pledge of one receivable"
  /** The borrower owes the rest if the invoice pays less. */
  recourse: "full"
}

/** A party of the loan. */
export interface FinanceParty {
  /** The organization. */
  organization_id: string
  name: string
}

/** The standing authorization, in its canonical form (RFC 8785). */
export type FinanceAuthorization = Record<string, unknown>

/** One problem with the input. */
export interface InputProblem {
  /** A JSON pointer, a query name or a header name; empty for the whole body. */
  param: string
  /** What is wrong. */
  code: ProblemCode
  /** What is wrong, in words. */
  message: string
  /** What to send instead. */
  fix?: string
}

/** A document was created, or became visible to the counterparty. */
export interface DocumentCreatedEvent extends EventFields {
  /** What happened. */
  type: "document.created"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
  }
}

/** A document's status changed. */
export interface DocumentStatusChangedEvent extends EventFields {
  /** What happened. */
  type: "document.status_changed"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
  }
}

/** A document was edited. */
export interface DocumentEditedEvent extends EventFields {
  /** What happened. */
  type: "document.edited"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    /** What changed once it was issued: `pledge`, … */
    changes?: string[]
  }
}

/** A payment settled. */
export interface PaymentSettledEvent extends EventFields {
  /** What happened. */
  type: "payment.settled"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    payment: Payment
    /** The rail's own reference; absent when no rail was involved. */
    settlement_reference?: string
  }
}

/** A payment failed; the document is payable again. */
export interface PaymentFailedEvent extends EventFields {
  /** What happened. */
  type: "payment.failed"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    payment: Payment
    /** Why it failed; `payment_failed` for the payee. */
    reason: string
    /** Whether the document can be paid again. */
    payable: boolean
  }
}

/** A finance offer was received. */
export interface FinanceOfferReceivedEvent extends EventFields {
  /** What happened. */
  type: "finance.offer.received"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    offer: FinanceOffer
    listing: FinanceListing
  }
}

/** A finance agreement was accepted. */
export interface FinanceAgreementAcceptedEvent extends EventFields {
  /** What happened. */
  type: "finance.agreement.accepted"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    agreement: FinanceAgreement
  }
}

/** A finance agreement was funded. */
export interface FinanceAgreementFundedEvent extends EventFields {
  /** What happened. */
  type: "finance.agreement.funded"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    agreement: FinanceAgreement
    payment: Payment
  }
}

/** A finance agreement was repaid. */
export interface FinanceAgreementRepaidEvent extends EventFields {
  /** What happened. */
  type: "finance.agreement.repaid"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    agreement: FinanceAgreement
    payment: Payment
    /** Whether a sweep repaid it, not the borrower itself. */
    swept: boolean
  }
}

/** A finance agreement was closed. */
export interface FinanceAgreementClosedEvent extends EventFields {
  /** What happened. */
  type: "finance.agreement.closed"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    agreement: FinanceAgreement
    /** Why it is closed. */
    closed_reason: "repaid" | "withdrawn" | "collateral_settled"
  }
}

/** A finance agreement was flagged. */
export interface FinanceAgreementFlaggedEvent extends EventFields {
  /** What happened. */
  type: "finance.agreement.flagged"
  /** As the receiver saw it then. */
  data: {
    document: DocumentRecord
    /** The status before. */
    previous_status?: string
    /** Why the service moved it. */
    cause?: string
    agreement: FinanceAgreement
    /** The latest flag that is not cured, else the latest one. */
    flag: {
      /** What is wrong. */
      code: "funding_overdue" | "repayment_overdue" | "sweep_shortfall" | "sweep_failed" | "collateral_disputed" | "collateral_diluted" | "proceeds_returned" | "disbursement_returned" | "repayment_returned"
      /** Since when. */
      since: string
      cured_at: string | null
    }
  }
}

/** The type of a document. */
export type DocumentTypeName = "invoice" | "credit_note" | "purchase_order" | "quote" | "contract" | "delivery_note" | "goods_receipt" | "statement" | "agreement" | "disbursement" | "repayment"

/** A status of any type of document. */
export type DocumentStatus = "draft" | "submitted" | "sent" | "acknowledged" | "approved" | "accepted" | "funded" | "disputed" | "flagged" | "payment_scheduled" | "paid" | "applied" | "fulfilled" | "converted" | "repaid" | "rejected" | "cancelled" | "expired" | "closed"

/** A phase, across types. */
export type DocumentPhase = "draft" | "pending" | "accepted" | "disputed" | "paying" | "settled" | "closed"

/** A currency, by its ISO 4217 code. */
export type Currency = "USD" | "EUR" | "GBP" | "CAD"

/** The status of a payment. */
export type PaymentStatus = "created" | "scheduled" | "processing" | "settled" | "failed" | "cancelled" | "returned"

/** The kind of a payment. */
export type PaymentKind = "document_payment" | "refund" | "disbursement" | "repayment" | "sweep"

/** How a payment is made. */
export type PaymentMethod = "ach" | "wire" | "sepa" | "faster_payments" | "eft" | "book"

/** What happened. */
export type EventType = "document.created" | "document.status_changed" | "document.edited" | "payment.settled" | "payment.failed" | "finance.offer.received" | "finance.agreement.accepted" | "finance.agreement.funded" | "finance.agreement.repaid" | "finance.agreement.closed" | "finance.agreement.flagged"

/** What a member of an organization may do. */
export type MemberRole = "owner" | "admin" | "developer" | "finance" | "approver" | "viewer" | "member"

/** What a search finds. */
export type SearchedType = "document" | "connection" | "payment" | "key" | "webhook" | "request"

/** A scope of a key. */
export type Scope = "documents:write" | "documents:read" | "payments:read" | "payments:write" | "treasury:read" | "provenance:read" | "keys:manage" | "webhooks:manage"

/** The code of an error. */
export type ErrorCode = "unauthorized" | "forbidden" | "rate_limited" | "not_found" | "method_not_allowed" | "payload_too_large" | "not_enabled" | "insufficient_scope" | "capability_unavailable" | "unsupported_media_type" | "idempotency_conflict" | "invalid_request" | "not_acceptable" | "sandbox_isolation" | "precondition_failed" | "conflict" | "payment_limit_exceeded" | "sandbox_quota" | "processor_error" | "integrity_failure" | "internal_error" | "service_unavailable"

/** What is wrong with a field. */
export type ProblemCode = "required" | "unknown_field" | "read_only" | "wrong_type" | "invalid_value" | "out_of_range" | "too_precise" | "too_long" | "missing_header" | "invalid_cursor" | "tax_is_per_line"

export interface EventFields {
  /** The event. */
  id: string
  /** The contract version in force when it was written. */
  api_version: string
  /** When it happened. */
  created_at: string
  /** Per document and receiver, from 1, gapless. */
  sequence: number
  request: CausingRequest | null
  /** Only for sandbox organizations. */
  sandbox?: true
}

export type Event = EventEnvelope

export type DocumentsCsvResponse = string

export type StreamResponse = string

export type PaymentsCsvResponse = string

export type TreasuryStatementResponse = string

export interface SpecificationGetResponse {
  openapi: string
  /** Title, version and licence. */
  info: Record<string, unknown>
  /** The operations, by path and method. */
  paths: Record<string, unknown>
  /** Schemas, parameters, headers and responses that operations share. */
  components: Record<string, unknown>
}

type OneOrMore<T> = T | readonly T[]

export interface PageQuery {
  /** Maximum rows per page. A shorter page is not necessarily the last. */
  limit?: number | undefined
}

export interface DocumentsListQuery extends PageQuery {
  /** `updated`: oldest change first, by `updated_at` and id. What changes while you read comes again at the end. Without it, newest first. */
  sort?: "updated" | undefined
  /** Only these documents. */
  id?: OneOrMore<string> | undefined
  /** Document types. */
  type?: OneOrMore<DocumentTypeName> | undefined
  /** Connections. */
  connection?: OneOrMore<string> | undefined
  /** Statuses. */
  status?: OneOrMore<DocumentStatus> | undefined
  /** Phases, across types. */
  phase?: OneOrMore<DocumentPhase> | undefined
  /** The caller's side. */
  direction?: "issued" | "received" | undefined
  /** Earliest document date, inclusive. */
  since?: string | Date | undefined
  /** Latest document date, inclusive. */
  until?: string | Date | undefined
  /** Changed at or after this time. */
  updated_since?: string | Date | undefined
  /** Currencies. */
  currency?: OneOrMore<Currency> | undefined
  /** Earliest due date, inclusive; a document without one is due last. */
  due_from?: string | Date | undefined
  /** Latest due date, inclusive. */
  due_to?: string | Date | undefined
  /** Unsettled, and paid to the caller or by it, as in the `ageing` of statistics. */
  owed?: "receivable" | "payable" | undefined
  /** Words to find in numbers, references, counterparty name, line descriptions, SKUs and notes, or the total. Each matches the beginning of a word; a reference with digits, such as SKU-9, is one word; an amount, such as EUR 1,234.50, matches to the cent. Operators, such as total:>1000, restrict it. */
  query?: string | undefined
}

export interface DocumentsRenderQuery {
  /** The format. */
  format?: "json" | "csv" | "ubl" | "cii" | "peppol_cii" | "pdf" | "facturx" | "invoice_response" | undefined
  /** With 1, the PDF carries the proof bundle and prints its digest; leave it out for none. */
  proof?: "1" | undefined
}

export interface DocumentsChecksQuery {
  /** The format to check for. `json` and `csv` follow no rules of others; for a PDF with its data, check `facturx`. */
  format: "ubl" | "cii" | "peppol_cii" | "pdf" | "facturx" | "invoice_response"
}

export interface DocumentsCsvQuery {
  /** Only these documents. */
  id?: OneOrMore<string> | undefined
  /** Document types. */
  type?: OneOrMore<DocumentTypeName> | undefined
  /** Connections. */
  connection?: OneOrMore<string> | undefined
  /** Statuses. */
  status?: OneOrMore<DocumentStatus> | undefined
  /** Phases, across types. */
  phase?: OneOrMore<DocumentPhase> | undefined
  /** The caller's side. */
  direction?: "issued" | "received" | undefined
  /** Earliest document date, inclusive. */
  since?: string | Date | undefined
  /** Latest document date, inclusive. */
  until?: string | Date | undefined
  /** Changed at or after this time. */
  updated_since?: string | Date | undefined
  /** Currencies. */
  currency?: OneOrMore<Currency> | undefined
  /** Earliest due date, inclusive; a document without one is due last. */
  due_from?: string | Date | undefined
  /** Latest due date, inclusive. */
  due_to?: string | Date | undefined
  /** Unsettled, and paid to the caller or by it, as in the `ageing` of statistics. */
  owed?: "receivable" | "payable" | undefined
  /** Words to find in numbers, references, counterparty name, line descriptions, SKUs and notes, or the total. Each matches the beginning of a word; a reference with digits, such as SKU-9, is one word; an amount, such as EUR 1,234.50, matches to the cent. Operators, such as total:>1000, restrict it. */
  query?: string | undefined
}

export interface SearchQuery {
  /** A number, reference, amount, name, id, or words of a document; operators, such as is:overdue or total:>1000, restrict it. */
  q: string
  /** Kinds of records. */
  type?: OneOrMore<SearchedType> | undefined
  /** Maximum number of results. */
  limit?: number | undefined
}

export interface StatisticsGetQuery {
  /** `cash_flow` (needs payments:read): payments by the day they settled or are scheduled for; groups `in`, `out`, `scheduled_in`, `scheduled_out`. `ageing`: what is owed now by how long it is overdue; groups `receivable` and `payable`, buckets `current`, `1-30`, `31-60`, `61-90`, `over_90`. `documents`: documents by their date; groups `issued` and `received`, buckets are statuses. `projection` (needs treasury:read): what is owed by due date, and scheduled payments, from today on; groups `due_in`, `due_out`, `scheduled_in`, `scheduled_out`, buckets `due`, `overdue` (in the first period), and, without a period, `later` and `undated`; group `balance`: what is available now, without a period, and by the end of each period. `connections`: buckets are connections; groups `receivable` and `payable` (owed now), `issued` and `received` (documents by date, without drafts), `collected` and `paid` (by the day of the last payment that settled). `time_in_status` (needs provenance:read): how long documents stayed in the states they left, in `counts`; groups `issued` and `received`, buckets are statuses. `loans`: loans that are not repaid now; groups `borrowed` and `lent`, buckets `principal`, `fee`, `repaid`, `owed`; groups `sweep_out` and `sweep_in`: what is expected by due date, `overdue` without a period. `requests` (admins): calls by UTC day, in `counts`; group `answered`, buckets `2xx` to `5xx` and null for all; group `replayed`: of them, replays; group `refused`, buckets are the ten most frequent error codes. */
  metric: "cash_flow" | "ageing" | "documents" | "connections" | "projection" | "time_in_status" | "loans" | "requests"
  /** The first day. Default: twelve weeks before `to`. Not for a `projection`, which begins today. */
  from?: string | Date | undefined
  /** The last day. Default: today; of a `projection`, that of eight weeks with the current one. */
  to?: string | Date | undefined
  /** The length of a period. Default: `week`; weeks begin on Monday. */
  interval?: "day" | "week" | "month" | undefined
}

export type AttachmentsListQuery = PageQuery

export type DocumentsCommentsListQuery = PageQuery

export interface ConnectionsListQuery extends PageQuery {
  /** Statuses. */
  status?: OneOrMore<"invited" | "active" | "declined" | "ended"> | undefined
}

export interface PaymentsListQuery extends PageQuery {
  /** `updated`: oldest change first, by `updated_at` and id. What changes while you read comes again at the end. Without it, newest first. */
  sort?: "updated" | undefined
  /** Documents. */
  document?: OneOrMore<string> | undefined
  /** Connections. */
  connection?: OneOrMore<string> | undefined
  /** Statuses. */
  status?: OneOrMore<PaymentStatus> | undefined
  /** Kinds. */
  kind?: OneOrMore<PaymentKind> | undefined
  /** The caller's side. */
  direction?: "outgoing" | "incoming" | undefined
  /** Created on this day or later. */
  since?: string | Date | undefined
  /** Created on this day or earlier. */
  until?: string | Date | undefined
  /** Changed at or after this time. */
  updated_since?: string | Date | undefined
  /** Currencies. */
  currency?: OneOrMore<Currency> | undefined
  /** Settled on this day or later. */
  settled_from?: string | Date | undefined
  /** Settled on this day or earlier. */
  settled_to?: string | Date | undefined
}

export interface PaymentsCsvQuery {
  /** Documents. */
  document?: OneOrMore<string> | undefined
  /** Connections. */
  connection?: OneOrMore<string> | undefined
  /** Statuses. */
  status?: OneOrMore<PaymentStatus> | undefined
  /** Kinds. */
  kind?: OneOrMore<PaymentKind> | undefined
  /** The caller's side. */
  direction?: "outgoing" | "incoming" | undefined
  /** Created on this day or later. */
  since?: string | Date | undefined
  /** Created on this day or earlier. */
  until?: string | Date | undefined
  /** Changed at or after this time. */
  updated_since?: string | Date | undefined
  /** Currencies. */
  currency?: OneOrMore<Currency> | undefined
  /** Settled on this day or later. */
  settled_from?: string | Date | undefined
  /** Settled on this day or earlier. */
  settled_to?: string | Date | undefined
}

export interface ApprovalsListQuery extends PageQuery {
  /** Statuses. */
  status?: OneOrMore<"pending" | "approved" | "executed" | "declined" | "stale" | "expired"> | undefined
}

export type ApprovalRulesListQuery = PageQuery

export type TreasuryAccountsListQuery = PageQuery

export interface TreasuryBalancesListQuery extends PageQuery {
  /** Accounts. */
  account?: OneOrMore<string> | undefined
  /** Currencies. */
  currency?: OneOrMore<Currency> | undefined
  /** A time in the past, by the organization’s clock; a date means the end of that day. A time that the clock of a sandbox skipped shows the balance before it was advanced. */
  as_of?: string | Date | undefined
}

export interface TreasuryTransactionsListQuery extends PageQuery {
  /** Accounts. */
  account?: OneOrMore<string> | undefined
  /** Payments. */
  payment?: OneOrMore<string> | undefined
  /** Types. */
  type?: OneOrMore<"payment_out" | "payment_in" | "sweep_out" | "sweep_in" | "return" | "topup" | "withdrawal"> | undefined
  /** Effective on this day or later. */
  since?: string | Date | undefined
  /** Effective on this day or earlier. */
  until?: string | Date | undefined
}

export interface TreasuryStatementQuery {
  /** CSV, or camt.053.001.08 of ISO 20022. */
  format: "csv" | "camt053"
  /** The first day, in UTC. */
  from: string | Date
  /** The last day, inclusive; not in the future. */
  to: string | Date
}

export interface FinanceListingsListQuery extends PageQuery {
  /** The caller's role. */
  role?: "borrower" | "lender" | undefined
  /** Changed at or after this time. */
  updated_since?: string | Date | undefined
  /** Statuses. */
  status?: OneOrMore<"open" | "matched" | "withdrawn" | "expired" | "invalidated"> | undefined
}

export interface FinanceOffersListQuery extends PageQuery {
  /** The caller's role. */
  role?: "borrower" | "lender" | undefined
  /** Changed at or after this time. */
  updated_since?: string | Date | undefined
  /** Listings. */
  listing?: OneOrMore<string> | undefined
  /** Statuses. */
  status?: OneOrMore<"open" | "accepted" | "declined" | "withdrawn" | "superseded" | "expired" | "lapsed"> | undefined
}

export interface FinanceAgreementsListQuery extends PageQuery {
  /** The caller's role. */
  role?: "borrower" | "lender" | undefined
  /** Statuses. */
  status?: OneOrMore<"accepted" | "funded" | "flagged" | "repaid" | "closed"> | undefined
  /** Changed at or after this time. */
  updated_since?: string | Date | undefined
}

export interface EventsListQuery extends PageQuery {
  /** Only events committed after this one, oldest first, without gaps. */
  after?: string | undefined
  /** Event types. */
  type?: OneOrMore<EventType> | undefined
  /** Only events of this document. */
  document?: string | undefined
}

export type WebhooksListQuery = PageQuery

export interface DeliveriesListQuery extends PageQuery {
  /** Statuses. */
  status?: OneOrMore<"pending" | "retrying" | "succeeded" | "failed" | "skipped"> | undefined
  /** Event types. */
  type?: OneOrMore<"document.created" | "document.status_changed" | "document.edited" | "payment.settled" | "payment.failed" | "finance.offer.received" | "finance.agreement.accepted" | "finance.agreement.funded" | "finance.agreement.repaid" | "finance.agreement.closed" | "finance.agreement.flagged" | "ping"> | undefined
  /** Scheduled at or after this time. */
  since?: string | Date | undefined
  /** Scheduled at or before this time. */
  until?: string | Date | undefined
}

export interface LogConsistencyQuery {
  /** The log size of the older checkpoint. */
  from: number
  /** The log size of the newer checkpoint. */
  to: number
}

export type KeysListQuery = PageQuery

export interface MembersListQuery extends PageQuery {
  /** Roles. */
  role?: OneOrMore<MemberRole> | undefined
}

export type InvitationsListQuery = PageQuery

export interface AuditListQuery extends PageQuery {
  /** People. */
  user?: OneOrMore<string> | undefined
  /** Operation ids. */
  operation?: OneOrMore<string> | undefined
  /** At or after this time. */
  since?: string | Date | undefined
  /** At or before this time. */
  until?: string | Date | undefined
}

export type SavedViewsListQuery = PageQuery

export interface RequestsListQuery extends PageQuery {
  /** Calling keys. */
  key?: OneOrMore<string> | undefined
  /** Response statuses. */
  status?: OneOrMore<number> | undefined
  /** Codes of errors. */
  error_code?: OneOrMore<ErrorCode> | undefined
  /** Whether the response was a replay. */
  replayed?: "true" | "false" | undefined
  /** An exact path, or a prefix: `/v1/documents/*`. */
  path?: string | undefined
  /** Requests at or after this time. */
  since?: string | Date | undefined
  /** Requests at or before this time. */
  until?: string | Date | undefined
}

export type SandboxesListQuery = PageQuery
