/**
 * The forms of payment terms that name a due date, as people write them (domain 3.5). This table is
 * all that the service recognises: core/documents/terms-forms.ts reads texts with it, and the docs
 * print it. Case, accents and spacing make no difference.
 */

export const termsLanguages = { en: 'English', de: 'German', fr: 'French', es: 'Spanish' } as const

export type TermsLanguage = keyof typeof termsLanguages

/** `{days}` is a bare number, `{period}` a number with its unit, such as `30 days`. */
export type Placeholder = 'days' | 'period' | 'percent' | 'early' | 'early period' | 'date'

/** The words for a day, the one that the docs print first. */
export const dayWords: Record<TermsLanguage, readonly string[]> = {
  en: ['days', 'day'],
  de: ['Tage', 'Tagen', 'Tag'],
  fr: ['jours', 'jour'],
  es: ['días', 'día'],
}

export interface TermsForm {
  /** The date from which the days are counted; `date`: the text names the due date itself. */
  from: 'document_date' | 'month_end' | 'date'
  /** When it is due, for the docs. */
  due: string
  phrases: Record<TermsLanguage, readonly string[]>
}

const days: TermsForm = {
  from: 'document_date',
  due: 'N days after the document date',
  phrases: {
    en: [
      ...['Net {days}', 'Net {period}', '{period}', '{period} net', 'N{days}', 'n/{days}'],
      ...['within {period}', 'due in {period}', 'due within {period}', 'payable within {period}'],
    ],
    de: [
      ...['netto {days}', 'netto {period}', '{period}', '{period} netto', '{period} rein netto'],
      ...['innerhalb von {period}', 'innerhalb {period}', 'binnen {period}', 'in {period}'],
      ...['zahlbar innerhalb von {period}', 'zahlbar innerhalb {period}'],
      ...['zahlbar binnen {period}', 'zahlbar in {period}', 'fällig in {period}'],
      ...['zahlbar innerhalb von {period} netto', 'Zahlungsziel {period}'],
    ],
    fr: [
      ...['net {days}', 'net {period}', '{period}', '{period} net', '{period} nets'],
      ...['net à {period}', 'à {period}', 'sous {period}', 'dans les {period}'],
      ...['paiement à {period}', 'paiement sous {period}', 'payable à {period}'],
      ...['payable sous {period}', '{period} date de facture'],
    ],
    es: [
      ...['neto {days}', 'neto {period}', '{period}', '{period} neto', '{period} netos'],
      ...['neto a {period}', 'a {period}', 'en {period}', 'dentro de {period}'],
      ...['pago a {period}', 'pago en {period}', 'pagadero a {period}', 'pagadero en {period}'],
      ...['{period} fecha de factura', '{period} fecha factura'],
    ],
  },
}

const receipt: TermsForm = {
  from: 'document_date',
  due: 'on the document date',
  phrases: {
    en: [
      ...['Due on receipt', 'Due upon receipt', 'On receipt', 'Upon receipt'],
      ...['Payable on receipt', 'Payable upon receipt', 'Due immediately', 'Payable immediately'],
      ...['Due on receipt of invoice', 'Due upon receipt of invoice', 'On receipt of invoice'],
      ...['Upon receipt of invoice', 'Payable on receipt of invoice'],
      ...['Immediate', 'Immediately', 'Immediate payment', 'COD'],
    ],
    de: [
      ...['fällig bei Erhalt', 'zahlbar bei Erhalt', 'zahlbar nach Erhalt', 'bei Erhalt'],
      ...['nach Erhalt', 'fällig bei Rechnungserhalt', 'zahlbar bei Rechnungserhalt'],
      ...['nach Rechnungserhalt', 'zahlbar nach Rechnungserhalt'],
      ...['bei Rechnungserhalt', 'sofort fällig', 'fällig sofort', 'sofort zahlbar'],
      ...['zahlbar sofort', 'sofort', 'sofort netto', 'Nachnahme', 'per Nachnahme'],
    ],
    fr: [
      ...['dû à réception', 'payable à réception', 'paiement à réception', 'à réception'],
      ...['à la réception', 'à réception de facture', 'à réception de la facture'],
      ...['payable à réception de facture', 'paiement à réception de facture'],
      ...['dès réception', 'dès réception de facture', 'dès réception de la facture'],
      ...['payable dès réception', 'paiement dès réception', 'dû dès réception'],
      ...['dû immédiatement', 'exigible immédiatement', 'payable immédiatement'],
      ...['immédiat', 'immédiatement', 'paiement immédiat', 'comptant', 'au comptant'],
      ...['paiement comptant', 'contre remboursement'],
    ],
    es: [
      ...['vence a la recepción', 'pagadero a la recepción', 'pago a la recepción'],
      ...['a la recepción', 'a la recepción de la factura', 'al recibo', 'al recibir'],
      ...['al recibir la factura', 'pagadero al recibo', 'vence inmediatamente'],
      ...['pagadero inmediatamente', 'inmediato', 'inmediatamente', 'pago inmediato'],
      ...['vencimiento inmediato', 'contado', 'al contado', 'pago al contado'],
      ...['contra reembolso'],
    ],
  },
}

const monthEnd: TermsForm = {
  from: 'month_end',
  due: 'at the end of the month of the document date',
  phrases: {
    en: [
      ...['EOM', 'Net EOM', 'Due EOM', 'End of month', 'End of the month', 'Due end of month'],
      ...['Due at end of month', 'Net end of month', 'Due at the end of the month'],
    ],
    de: [
      ...['Monatsende', 'Ende des Monats', 'zum Monatsende', 'zum Ende des Monats'],
      ...['fällig zum Monatsende', 'zahlbar zum Monatsende', 'bis Monatsende'],
    ],
    fr: ['fin de mois', 'fin du mois', 'à la fin du mois', 'payable fin de mois', 'FDM'],
    es: ['fin de mes', 'a fin de mes', 'final de mes', 'a final de mes', 'vence a fin de mes'],
  },
}

const daysAfterMonthEnd: TermsForm = {
  from: 'month_end',
  due: 'N days after the end of the month of the document date',
  phrases: {
    en: [
      ...['Net {days} EOM', 'Net {period} EOM', '{days} EOM', '{period} EOM', 'N{days} EOM'],
      ...['n/{days} EOM', '{period} net EOM', 'EOM+{days}', 'EOM {days}', 'EOM+{period}'],
      ...['{period} end of month', '{days} end of month', 'Net {days} end of month'],
      ...['Net {period} end of month', '{period} after end of month'],
      ...['{period} from end of month', '{period} after the end of the month'],
    ],
    de: [
      ...['{period} Monatsende', '{days} Monatsende', 'netto {days} Monatsende'],
      ...['netto {period} Monatsende', '{period} netto Monatsende', '{period} ab Monatsende'],
      ...['{period} zum Monatsende', '{period} netto zum Monatsende'],
      ...['{period} nach Monatsende', '{period} Ende des Monats', '{period} nach Ende des Monats'],
    ],
    fr: [
      ...['{period} fin de mois', '{days} fin de mois', 'net {days} fin de mois'],
      ...['net {period} fin de mois', '{period} net fin de mois', 'à {period} fin de mois'],
      ...['{period} fin du mois', '{period} après la fin du mois', '{period} FDM', '{days} FDM'],
      ...['{period} nets fin de mois', 'net {days} FDM', 'FDM+{days}'],
    ],
    es: [
      ...['{period} fin de mes', '{days} fin de mes', 'neto {days} fin de mes'],
      ...['neto {period} fin de mes', '{period} neto fin de mes', 'a {period} fin de mes'],
      ...['{period} a fin de mes', '{period} después de fin de mes'],
    ],
  },
}

const earlyPayment: TermsForm = {
  from: 'document_date',
  due: 'N days after the document date; P % less within D days, shown in `early_payment` for information',
  phrases: {
    en: [
      ...['{percent}/{early} net {days}', '{percent}/{early} net {period}'],
      ...['{percent}/{early} n/{days}', '{percent}/{early} n{days}'],
      ...['{percent}% {early}, net {days}', '{percent}% {early}, net {period}'],
      ...['{percent}% {early period}, net {days}', '{percent}% {early period}, net {period}'],
      '{percent}% within {early period}, net {period}',
    ],
    de: [
      ...['{percent}/{early} netto {days}', '{percent}/{early} netto {period}'],
      ...['{percent}% {early}, netto {days}', '{percent}% {early period}, netto {days}'],
      ...['{percent}% {early period}, netto {period}', '{percent}% {early period}, {period} netto'],
      ...['{early period} {percent}%, {period} netto'],
      ...['{percent}% Skonto {early period}, netto {period}'],
      ...['{percent}% Skonto {early period}, {period} netto'],
      ...['{early period} {percent}% Skonto, {period} netto'],
      ...['{percent}% Skonto innerhalb von {early period}, {period} netto'],
    ],
    fr: [
      ...['{percent}/{early} net {days}', '{percent}/{early} net {period}'],
      ...['{percent}% {early}, net {days}', '{percent}% {early period}, net {days}'],
      ...['{percent}% {early period}, net {period}', '{percent}% {early period}, {period} net'],
      ...[
        '{percent}% à {early period}, net à {period}',
        '{percent}% à {early period}, {period} net',
      ],
      ...["{percent}% d'escompte sous {early period}, {period} net"],
      ...["{percent}% d'escompte à {early period}, {period} net"],
    ],
    es: [
      ...['{percent}/{early} neto {days}', '{percent}/{early} neto {period}'],
      ...['{percent}% {early}, neto {days}', '{percent}% {early period}, neto {days}'],
      ...['{percent}% {early period}, neto {period}', '{percent}% {early period}, {period} neto'],
      ...[
        '{percent}% a {early period}, neto a {period}',
        '{percent}% a {early period}, {period} neto',
      ],
      ...['{percent}% de descuento a {early period}, {period} neto'],
    ],
  },
}

const date: TermsForm = {
  from: 'date',
  due: 'on that date',
  phrases: {
    en: [
      ...['Due {date}', '{date}', 'by {date}', 'due by {date}', 'due on {date}', 'on {date}'],
      ...['pay by {date}', 'payable by {date}', 'payable on {date}'],
    ],
    de: [
      ...['fällig {date}', '{date}', 'bis {date}', 'fällig bis {date}', 'fällig am {date}'],
      ...['am {date}', 'bis zum {date}', 'fällig bis zum {date}', 'fällig zum {date}'],
      ...['zahlbar bis {date}', 'zahlbar bis zum {date}', 'zahlbar am {date}'],
    ],
    fr: [
      ...['échéance {date}', '{date}', "d'ici le {date}", 'au plus tard le {date}'],
      ...['échéance le {date}', 'le {date}', 'dû le {date}', "dû d'ici le {date}"],
      ...['échéance au {date}', 'payable le {date}', "payable d'ici le {date}"],
      ...['payable au plus tard le {date}'],
    ],
    es: [
      ...['vencimiento {date}', '{date}', 'hasta el {date}', 'a más tardar el {date}'],
      ...['para el {date}', 'pagadero para el {date}'],
      ...['vence el {date}', 'el {date}', 'vence {date}', 'vencimiento el {date}'],
      ...['pagadero el {date}', 'pagadero hasta el {date}', 'pagar hasta el {date}'],
    ],
  },
}

export const termsForms: readonly TermsForm[] = [
  ...[days, receipt, monthEnd, daysAfterMonthEnd, earlyPayment, date],
]

/** What a dry run warns about (contract 12). */
export const termsWarningCodes = ['early_period_too_long', 'no_due_date'] as const
