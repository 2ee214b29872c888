/** E-mail addresses of people (contract 12). */

/**
 * The form in which addresses are stored and compared: in lower case, and with letters and their
 * accents composed (NFC), since programs send either form.
 */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase().normalize('NFC')
